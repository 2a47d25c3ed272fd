// SPDX-License-Identifier: Apache-2.0
/** The tests of this repository as the runner names them: rows of tables spelled out, shared suites and skipped tests included. */
import {execFile} from 'node:child_process';
import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join, relative, resolve} from 'node:path';
import {promisify} from 'node:util';

export type ListedTest = {
  /** With the names of its groups. */
  readonly name: string;
  /** Relative to the root of the repository. */
  readonly file: string;
};

/** Bounds against hanging. */
const LIST_MS_MAX = 300_000;

/**
 * Loads every test file, without running a test. In a process of its own: this one is a worker of the runner, which tells its
 * children by the environment; and with a folder of its own for what test files make when they are loaded.
 */
export const listTests = async (): Promise<readonly ListedTest[]> => {
  const dir = await mkdtemp(join(tmpdir(), 'palisade-list-'));
  try {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')));
    const output = join(dir, 'tests.json');
    await promisify(execFile)(process.execPath, [resolve('tools/list-tests.ts'), output], {
      env: {...env, TMPDIR: dir},
      timeout: LIST_MS_MAX,
    });
    const listed = JSON.parse(await readFile(output, 'utf8')) as readonly ListedTest[];
    return listed.map(({name, file}) => ({name, file: relative(process.cwd(), file)}));
  } finally {
    await rm(dir, {recursive: true, force: true});
  }
};
