// SPDX-License-Identifier: Apache-2.0
/** Files that the engine keeps for itself. What the system refuses becomes an EngineError with path, reason and way out. */
import {EngineError} from '../engine-error.ts';
import {whyUnkept, whyUnreadable} from './file-faults.ts';
import {listIfThere, readIfThere, writeDurably} from './files.ts';

export const readState = (path: string) => reading(path, () => readIfThere(path));
export const listState = (path: string) => reading(path, () => listIfThere(path));
export const writeState = (...[path, content, options]: Parameters<typeof writeDurably>) =>
  changing(path, () => writeDurably(path, content, options));

async function reading<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new EngineError(`${path}: cannot be read: ${whyUnreadable(cause)}`, {cause});
  }
}

/** For anything but a write: a rename, a removal, a folder. */
export async function changing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new EngineError(`${path}: cannot be written: ${whyUnkept(cause)}`, {cause});
  }
}
