// SPDX-License-Identifier: Apache-2.0
/** The thread that reads records. `workerData`: the folder of the record store. */
import {setImmediate} from 'node:timers/promises';
import {parentPort, workerData} from 'node:worker_threads';
import {systemClock} from '@palisade/apiserver/time';
import {READS_AT_ONCE_MAX} from '../../../limits.ts';
import type {StoredRecord} from '../../record-store.ts';
import {DamagedFileError, toRecordStoreError} from '../faults.ts';
import type {FromReader, ReadRequest, ToReader} from './reader-messages.ts';
import {RecordReads} from './record-reads.ts';

const folder = String(workerData);
const reads = new RecordReads(folder, systemClock, async () => void (await setImmediate()));

/** Searches that wait for others to end; what is short goes at once. */
const waiting: ReadRequest[] = [];
let searches = 0;

const isSearch = ({name}: ReadRequest): boolean => name === 'page' || name === 'aggregate';

const post = (message: FromReader): void => parentPort?.postMessage(message);

const answer = async (request: ReadRequest): Promise<void> => {
  const {id, name, args} = request;
  let reply: FromReader;
  try {
    const read = reads[name] as (...given: readonly unknown[]) => Promise<unknown>;
    reply = {id, answer: await read.apply(reads, [...args, (part: readonly StoredRecord[]) => post({id, part})])};
  } catch (error) {
    const {code, message} = toRecordStoreError(error, folder);
    reply = {id, code, message, file: error instanceof DamagedFileError ? error.file : undefined};
  }
  post(reply);
};

const take = async (request: ReadRequest): Promise<void> => {
  if (!isSearch(request)) return answer(request);
  if (searches >= READS_AT_ONCE_MAX) {
    waiting.push(request);
    return;
  }
  searches++;
  await answer(request);
  searches--;
  const next = waiting.shift();
  if (next !== undefined) await take(next);
};

parentPort?.on('message', (request: ToReader) => {
  if ('forget' in request) reads.forget(request.forget);
  else void take(request);
});
