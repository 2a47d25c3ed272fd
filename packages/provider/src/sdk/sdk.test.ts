// SPDX-License-Identifier: Apache-2.0
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join, relative} from 'node:path';
import {expect, test} from 'vitest';
import {GENERATED_FOLDERS, generatedFiles} from './index.ts';

const root = join(import.meta.dirname, '../../../..');
const BUILT = new Set(['dist', 'node_modules', '__pycache__', 'build']);

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, {withFileTypes: true}).flatMap(entry => {
    if (BUILT.has(entry.name) || entry.name.endsWith('.egg-info')) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [relative(root, path)];
  });

test('X-004 schemas and SDKs are what the descriptions generate (else: node tools/gen-sdk.ts)', () => {
  const files = generatedFiles();
  const stale = [...files].filter(([path, text]) => {
    const place = join(root, path);
    return !existsSync(place) || readFileSync(place, 'utf8') !== text;
  });
  expect(stale.map(([path]) => path)).toEqual([]);
  const unknown = GENERATED_FOLDERS.flatMap(folder => filesBelow(join(root, folder))).filter(path => !files.has(path));
  expect(unknown).toEqual([]);
});
