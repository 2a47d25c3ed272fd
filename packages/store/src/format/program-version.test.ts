// SPDX-License-Identifier: Apache-2.0
import {globSync, readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {PROGRAM_VERSION} from './program-version.ts';

test('48-4 formats and backups name the version that the packages have', () => {
  const versions = globSync('packages/*/package.json').map(file => JSON.parse(readFileSync(file, 'utf8')).version);
  expect(new Set(versions)).toEqual(new Set([PROGRAM_VERSION]));
});
