// SPDX-License-Identifier: Apache-2.0
/** The data folder: store, sensors, certificates, kubeconfig, and the address file that local commands find (server-file.ts). */
import {accessSync, statSync} from 'node:fs';
import {access, constants, stat} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {CommandError, FolderError} from '../errors.ts';
import {SERVER_FILE} from './server-file.ts';
import {makePrivateFolder} from './sync-folder.ts';

/** Data folder when none is named: $XDG_STATE_HOME/palisade, else ~/.local/state/palisade. */
export const defaultDataDir = (env: Readonly<Record<string, string | undefined>>): string =>
  resolve(env['XDG_STATE_HOME'] ?? `${env['HOME'] ?? '/var/lib'}/.local/state`, 'palisade');

/** Name of the file that holds all objects. */
export const STORE_FILE = 'store.sqlite';
export const storeFileOf = (dir: string): string => join(dir, STORE_FILE);
const KUBECONFIG_FILE = 'kubeconfig';
/** Format of the folder, see folder-format.ts. */
export const FORMAT_FILE = 'format.json';
/** The files that a server makes in the folder itself. */
export const OWN_FILES: readonly string[] = [
  FORMAT_FILE,
  ...['', '-lock', '-wal', '-shm'].map(suffix => `${STORE_FILE}${suffix}`),
  SERVER_FILE,
  KUBECONFIG_FILE,
];
/** Folders of the sensors, and of the certificates made by us and their keys. */
export const SENSORS_FOLDER = 'sensors';
export const PKI_FOLDER = 'pki';
export {AUDIT_FOLDER} from '../audit/file-names.ts';
/** Folder of threat and traffic records. */
export const RECORDS_FOLDER = 'records';
/** In PKI_FOLDER: what clients have to trust. */
export const AUTHORITY_FILE = 'ca.crt';
/** The lock beside START_FILE is held by the command that starts a local server; LOG_FILE is the log of that server. */
export const START_FILE = 'start';
export const LOG_FILE = 'serve.log';

export type DataFolder = {
  readonly dir: string;
  readonly storeFile: string;
  readonly sensorDir: string;
  readonly recordDir: string;
  readonly kubeconfig: string;
  /** Folders that were not there before, outermost first: `dir` is the last one, unless it was there. */
  readonly made: readonly string[];
};

export const kubeconfigFile = (dir: string): string => join(dir, KUBECONFIG_FILE);
export const authorityFile = (dir: string): string => join(dir, PKI_FOLDER, AUTHORITY_FILE);

const WHY_NOT_MADE: Readonly<Record<string, string>> = {
  EEXIST: 'a file has this path',
  ENOTDIR: 'a file has the path of a parent folder',
  EACCES: 'no permission to create it',
  EPERM: 'no permission to create it',
  EROFS: 'the file system is read-only',
};

/** Rejects with EACCES where this user may not use a folder. Ref: access(2). */
type MayUse = (dir: string, mode: number) => Promise<void>;

/** Makes the folder (mode 0700) when it is absent; its name is on disk then. Throws CommandError with the way out when it cannot be used. */
export async function openDataFolder(dir: string, mayUse: MayUse = access): Promise<DataFolder> {
  let made: readonly string[];
  try {
    made = await makePrivateFolder(dir);
  } catch (error) {
    const {code = '', message} = error as NodeJS.ErrnoException;
    const why = WHY_NOT_MADE[code] ?? message;
    throw new CommandError(`--data ${dir}: ${why}; choose a folder that this user may write`, {cause: error});
  }
  await assertUsable(dir, mayUse);
  return {
    dir,
    storeFile: storeFileOf(dir),
    sensorDir: join(dir, SENSORS_FOLDER),
    recordDir: join(dir, RECORDS_FOLDER),
    kubeconfig: kubeconfigFile(dir),
    made,
  };
}

/** Of a folder that a command reads: absent files are then absent. Throws FolderError for one that this user may not look into. */
export const assertSearchable = (dir: string): void => {
  try {
    if (statSync(dir, {throwIfNoEntry: false})?.isDirectory() !== true) return;
    accessSync(dir, constants.R_OK | constants.X_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') return;
    throw new FolderError('unreadable', `--data ${dir}: permission denied; run the command as the user of the server`, {
      cause: error,
    });
  }
};

/** Before anything in it is judged: what a user may not look at he can say nothing of. */
const assertUsable = async (dir: string, mayUse: MayUse): Promise<void> => {
  try {
    await mayUse(dir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') return; // the first write reports it
    const {uid} = await stat(dir);
    const wayOut =
      uid === process.getuid?.()
        ? `its mode denies access to its owner: run chmod 700 ${dir}`
        : `it belongs to uid ${uid}: run the server as that user, or change the owner of the folder and its content`;
    throw new CommandError(
      `--data ${dir}: uid ${process.getuid?.()} has no permission to read and write it; ${wayOut}`,
      {
        cause: error,
      },
    );
  }
};
