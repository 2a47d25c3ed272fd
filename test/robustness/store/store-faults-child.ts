// SPDX-License-Identifier: Apache-2.0
/**
 * A process for the fault tests of the store. It does what the lines on stdin say, one answer line each:
 *   `open DIR`, `put KEY BYTES`, `hold FILE` (another program's write lock on a database). Answers: `ok …` or `CODE …`.
 */

import {createInterface} from 'node:readline';
import {DatabaseSync} from 'node:sqlite';
import type {Store} from '@palisade/store';
import {openSqliteStore} from '@palisade/store/sqlite';

let store: Store | undefined;
let held: DatabaseSync | undefined;

async function obey(verb: string | undefined, name: string, size: number): Promise<unknown> {
  if (verb === 'open') {
    store = await openSqliteStore({dir: name});
    return await store.currentRevision();
  }
  if (verb === 'hold') {
    held = new DatabaseSync(name);
    held.exec('BEGIN IMMEDIATE');
    return 'held';
  }
  return await store?.put(name, new Uint8Array(size).fill(120));
}

for await (const line of createInterface({input: process.stdin})) {
  const [verb, name = '', size = '0'] = line.split(' ');
  try {
    process.stdout.write(`ok ${await obey(verb, name, Number(size))}\n`);
  } catch (error) {
    const {code, message} = error as {code?: string; message?: string};
    process.stdout.write(`${code} ${message}\n`);
  }
}
await store?.close();
held?.close();
