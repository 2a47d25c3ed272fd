// SPDX-License-Identifier: Apache-2.0
/** The thread that owns the database file. One request after the other, answers in the same order. */
import {parentPort} from 'node:worker_threads';
import type {Reply, Request} from './messages.ts';
import {Session} from './session.ts';

const session = new Session();

parentPort?.on('message', (request: Request) => {
  const {id} = request;
  let reply: Reply;
  let transfer: readonly ArrayBuffer[] = [];
  try {
    const outcome = session.handle(request);
    transfer = outcome.transfer;
    reply = {id, answer: outcome.answer};
  } catch (error) {
    const {code, key, revision, message} = session.toStoreError(error);
    reply = {id, code, key, revision, message};
  }
  parentPort?.postMessage(reply, transfer);
  if (request.name === 'close') parentPort?.close();
});
