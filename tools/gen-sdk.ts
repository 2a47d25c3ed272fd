// SPDX-License-Identifier: Apache-2.0
/** Writes the Pulumi schemas and the SDKs from the package descriptions: `node tools/gen-sdk.ts`. */
import {existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {dirname, join, relative} from 'node:path';
import {GENERATED_FOLDERS, generatedFiles} from '@palisade/provider/sdk';

const root = join(import.meta.dirname, '..');
/** Not ours to remove: what compiling and installing puts beside the sources. */
const KEPT = new Set(['dist', 'node_modules', '__pycache__']);

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, {withFileTypes: true}).flatMap(entry => {
    const path = join(folder, entry.name);
    if (KEPT.has(entry.name) || entry.name.endsWith('.egg-info')) return [];
    return entry.isDirectory() ? filesBelow(path) : [relative(root, path)];
  });
}

const files = generatedFiles();
let written = 0;
for (const [path, text] of files) {
  const target = join(root, path);
  if (existsSync(target) && readFileSync(target, 'utf8') === text) continue;
  mkdirSync(dirname(target), {recursive: true});
  writeFileSync(target, text);
  written += 1;
}
const stale = GENERATED_FOLDERS.flatMap(folder => filesBelow(join(root, folder))).filter(path => !files.has(path));
for (const path of stale) rmSync(join(root, path));
console.log(`gen-sdk: ${files.size} files, ${written} written, ${stale.length} removed`);
