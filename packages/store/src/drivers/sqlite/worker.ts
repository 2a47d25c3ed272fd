// SPDX-License-Identifier: Apache-2.0
/** The thread that owns the database file: one request after the other, answers in order. */
import {parentPort} from 'node:worker_threads';
import {StoreError} from '../../store-error.ts';
import {answer, Database, toStoreError} from './database.ts';
import type {Answer, Request} from './messages.ts';

let database: Database | undefined;
let file = '';

const handle = (request: Request): unknown => {
  if (request.name === 'open') {
    file = request.args.file;
    database = new Database(file);
    return database.state();
  }
  if (database === undefined) throw new StoreError('closed', {message: `${file}: the database is not open`});
  const result = answer(database, request.name, request.args);
  if (request.name === 'close') database = undefined;
  return result;
};

parentPort?.on('message', (request: Request) => {
  let reply: Answer;
  try {
    reply = {id: request.id, ok: true, answer: handle(request)};
  } catch (error) {
    const failure = toStoreError(error, file);
    reply = {id: request.id, ok: false, code: failure.code, message: failure.message};
  }
  parentPort?.postMessage(reply);
  if (request.name === 'close') parentPort?.close();
});
