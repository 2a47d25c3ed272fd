// SPDX-License-Identifier: Apache-2.0
/** The data folder: store, sensors, certificates, kubeconfig, and the address file that local commands find (server-file.ts). */
import {mkdir, stat} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {CommandError} from '../cli/io.ts';

/** Name of the file that holds all objects. */
export const STORE_FILE = 'store.sqlite';

export type DataFolder = {
  readonly dir: string;
  readonly storeFile: string;
  readonly sensorDir: string;
  readonly kubeconfig: string;
};

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** False: its parent is not there. */
const madeFolder = async (dir: string): Promise<boolean> => {
  try {
    await mkdir(dir, {mode: 0o700});
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    if (codeOf(error) === 'EEXIST' && (await stat(dir)).isDirectory()) return true;
    throw error;
  }
};

/** With its parents. Node's recursive mkdir tries for ever below a folder that refuses new ones with ENOENT, such as /proc. */
const makeFolder = async (dir: string): Promise<void> => {
  if (await madeFolder(dir)) return;
  const parent = dirname(dir);
  if (parent !== dir) await makeFolder(parent);
  if (!(await madeFolder(dir))) throw new Error(`no folder can be made in ${parent}`);
};

/** Makes the folder (mode 0700) when it is absent. Throws CommandError with the way out when it cannot be used. */
export async function openDataFolder(dir: string): Promise<DataFolder> {
  try {
    await makeFolder(dir);
  } catch (error) {
    throw new CommandError(`--data ${dir}: ${(error as Error).message}; choose a folder that this user may write`, {
      cause: error,
    });
  }
  return {
    dir,
    storeFile: join(dir, STORE_FILE),
    sensorDir: join(dir, 'sensors'),
    kubeconfig: join(dir, 'kubeconfig'),
  };
}
