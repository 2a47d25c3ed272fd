// SPDX-License-Identifier: Apache-2.0
/** Whether the server that an address file names is there: asked before anything secret is sent to its address. */
import {join} from 'node:path';
import type {Timers} from '@palisade/apiserver';
import {STORE_FILE} from './data-folder.ts';
import {type Readiness, readiness} from './readiness.ts';
import {addressOf, isAlive, type ServerFile} from './server-file.ts';

/**
 * What the server of `file`, read from the data folder `dir`, says of itself. A server whose process is not seen may run in another
 * PID namespace; then whoever answers counts only while some process has the lock of the store: the port of a server that was
 * killed may be another program's now. Never rejects. `timers` must keep the process alive.
 */
export const recordedServer = async (
  dir: string,
  file: ServerFile,
  timers: Pick<Timers, 'after'>,
  deadlineMs: number,
): Promise<Readiness> => {
  const found = await readiness(addressOf(file).url, timers, deadlineMs);
  if (found === 'none' || isAlive(file)) return found;
  if (found === 'silent') return 'none';
  const {isLocked} = await import('@palisade/store/sqlite'); // hardly ever needed
  return isLocked(join(dir, STORE_FILE)) ? found : 'none';
};
