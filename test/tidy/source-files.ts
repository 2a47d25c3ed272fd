// SPDX-License-Identifier: Apache-2.0
/** The files that the tidy tests read. */
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {posix} from 'node:path';

export const tracked: readonly string[] = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard'],
  {encoding: 'utf8'},
)
  .split('\n')
  .filter(path => path !== '');

/** Empty for a file that was removed and not yet committed. */
export const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
};

/** Hand-written TypeScript of the packages, tests included. */
export const sources = tracked.filter(
  path => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(path) && !path.includes('/src/gen/') && read(path) !== '',
);
/** What runs at a user's. */
export const production = sources.filter(
  path => !/\.(test|prop\.test|bench)\.tsx?$/.test(path) && !path.includes('/testing/'),
);

const IMPORT = /^\s*(?:import|export)\b[^'"]*?from\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

/** Specifiers as they are written, those of types and of `import()` included. */
export const importsOf = (path: string): string[] =>
  [...read(path).matchAll(IMPORT)].map(match => match[1] ?? match[2] ?? '');

/** The files of relative imports, from the root of the repository. */
export const importedFiles = (path: string): string[] =>
  importsOf(path)
    .filter(name => name.startsWith('.'))
    .map(name => posix.join(posix.dirname(path), name));

export const faultsOf = (paths: readonly string[], judge: (path: string) => readonly string[]): string[] =>
  paths.flatMap(path => judge(path).map(fault => `${path}: ${fault}`));
