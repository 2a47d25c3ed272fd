// SPDX-License-Identifier: Apache-2.0
/** Shrinks a store file in a thread of its own: SQLite copies it in one call, and this side says how far it is. */
import {Worker} from 'node:worker_threads';
import {draftOf} from '../drivers/sqlite/open-database.ts';
import {StoreError, type StoreErrorCode} from '../store-error.ts';
import type {Shrunk} from './shrink-store.ts';
import {bytesOf} from './unchanged.ts';

/** What the thread sends, once. */
export type Outcome =
  | {readonly shrunk: Shrunk | undefined; readonly failed?: undefined}
  | {readonly failed: {readonly code: StoreErrorCode; readonly message: string}};

const LOOKS_EVERY_MS = 200;
const SCRIPT = `./shrink-worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`;

/** As `shrinkStore`. `onProgress` gets the bytes of the copy so far. */
export async function shrinkInThread(
  file: string,
  onProgress: (copiedBytes: number) => void,
): Promise<Shrunk | undefined> {
  const worker = new Worker(new URL(SCRIPT, import.meta.url), {workerData: file});
  const timer = setInterval(() => onProgress(bytesOf(draftOf(file))), LOOKS_EVERY_MS);
  try {
    const outcome = await new Promise<Outcome>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', code => reject(new Error(`the thread ended with ${code}`)));
    });
    if (outcome.failed !== undefined) throw new StoreError(outcome.failed.code, {message: outcome.failed.message});
    return outcome.shrunk;
  } finally {
    clearInterval(timer);
    await worker.terminate();
  }
}
