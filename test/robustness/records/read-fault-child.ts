// SPDX-License-Identifier: Apache-2.0
/**
 * A record store on a disk that refuses reads. It does what the lines on stdin say, one answer line each: `ok …` or `CODE …`.
 *   open FOLDER | commit FROM COUNT | read LIMIT | lost | close
 */
import {createInterface} from 'node:readline';
import {RECORD_BUDGETS_DEFAULT} from '../../../packages/ids/src/limits.ts';
import type {RecordStore} from '../../../packages/ids/src/records/record-store.ts';
import {openSqliteRecordStore} from '../../../packages/ids/src/records/sqlite/record-store.ts';
import {A, batch, T0, threat} from '../../../packages/ids/src/testing/record-store-contract.ts';

const ignore = (): void => undefined;
const log = {debug: ignore, info: ignore, warn: ignore, error: ignore};
const EVERY = {project: '-', location: '-', endpointId: '-'};
let store: RecordStore | undefined;

const threats = (from: number, count: number) => Array.from({length: count}, (_, i) => threat(from + i));

const obey = async (verb: string | undefined, [a = '', b = '']: readonly string[]): Promise<unknown> => {
  switch (verb) {
    case 'open':
      store = openSqliteRecordStore({folder: a, budgets: RECORD_BUDGETS_DEFAULT, clock: {now: () => T0 + 60_000}, log});
      return store.start();
    case 'commit':
      return store?.commit(batch({threats: threats(Number(a), Number(b))}));
    case 'read': {
      const request = {kind: 'threats', name: EVERY, filter: '', after: 0, updates: false, limit: Number(a)} as const;
      return (await store?.changes(request))?.records.length;
    }
    case 'lost':
      return JSON.stringify((await store?.evictions(A))?.lost);
    case 'close':
      return store?.close();
    default:
      throw new Error(`no such verb: ${verb}`);
  }
};

for await (const line of createInterface({input: process.stdin})) {
  const [verb, ...args] = line.split(' ');
  try {
    process.stdout.write(`ok ${await obey(verb, args)}\n`);
  } catch (error) {
    const {code, message} = error as {code?: string; message?: string};
    process.stdout.write(`${code} ${message}\n`);
  }
}
