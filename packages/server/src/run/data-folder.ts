// SPDX-License-Identifier: Apache-2.0
/** The data folder: store, sensors, certificates, kubeconfig, and the address file that local commands find (server-file.ts). */
import {join} from 'node:path';
import {makeFolder} from '@palisade/engine/make-folder';
import {CommandError} from '../cli/io.ts';

/** Name of the file that holds all objects. */
export const STORE_FILE = 'store.sqlite';

export type DataFolder = {
  readonly dir: string;
  readonly storeFile: string;
  readonly sensorDir: string;
  readonly kubeconfig: string;
  /** Folders that were not there before, outermost first: `dir` is the last one, unless it was there. */
  readonly made: readonly string[];
};

/** Makes the folder (mode 0700) when it is absent. Throws CommandError with the way out when it cannot be used. */
export async function openDataFolder(dir: string): Promise<DataFolder> {
  let made: readonly string[];
  try {
    made = await makeFolder(dir, {mode: 0o700});
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
    made,
  };
}
