// SPDX-License-Identifier: Apache-2.0
/** The thread of shrink-thread.ts: shrinks the file that it is given, and sends what became of it. */
import {parentPort, workerData} from 'node:worker_threads';
import {toStoreError} from '../drivers/sqlite/faults.ts';
import {shrinkStore} from './shrink-store.ts';
import type {Outcome} from './shrink-thread.ts';

const outcomeOf = (file: string): Outcome => {
  try {
    return {shrunk: shrinkStore(file)};
  } catch (error) {
    const {code, message} = toStoreError(error, file);
    return {failed: {code, message}};
  }
};

parentPort?.postMessage(outcomeOf(String(workerData)));
