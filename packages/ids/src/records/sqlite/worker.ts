// SPDX-License-Identifier: Apache-2.0
/** The thread that writes. Requests are done in order; commits that wait behind each other share a transaction. */
import {parentPort} from 'node:worker_threads';
import {COMMIT_BYTES_MAX} from '../../limits.ts';
import type {RecordBatch} from '../record-sink.ts';
import type {FromWorker, Reply, Request} from './messages.ts';
import {Session} from './session.ts';

const post = (message: FromWorker): void => parentPort?.postMessage(message);

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const session = new Session({
  onDropped: ({error, ...dropped}) =>
    post({dropped: {...dropped, error: error === undefined ? undefined : textOf(error)}}),
  onFault: ({error, ...fault}) => post({fault: {...fault, error: textOf(error)}}),
});

type Commit = Extract<Request, {name: 'commit'}>;
const waiting: Request[] = [];

/** The first request, and behind a commit those that follow, up to a size. */
const take = (): readonly Commit[] | Exclude<Request, {name: 'commit'}> | undefined => {
  const commits: Commit[] = [];
  let bytes = 0;
  for (let [first] = waiting; first !== undefined; [first] = waiting) {
    if (first.name !== 'commit') {
      if (commits.length > 0) break;
      waiting.shift();
      return first;
    }
    bytes += first.args.text.length;
    if (commits.length > 0 && bytes > COMMIT_BYTES_MAX) break;
    commits.push(first);
    waiting.shift();
  }
  return commits.length === 0 ? undefined : commits;
};

const reply = (ids: readonly number[], content: Omit<Reply, 'id'>): void => {
  for (const id of ids) post({id, ...content} as Reply);
};

const failed = (error: unknown): Omit<Reply, 'id'> => {
  const {code, message} = session.toError(error);
  return {code, message};
};

/** What answers with a promise keeps nothing behind it waiting. */
const answered = (ids: readonly number[], action: () => unknown): void => {
  try {
    const answer = action();
    if (answer instanceof Promise)
      answer.then(
        (value: unknown) => reply(ids, {answer: value}),
        (error: unknown) => reply(ids, failed(error)),
      );
    else reply(ids, {answer});
  } catch (error) {
    reply(ids, failed(error));
  }
};

const run = (): void => {
  const next = take();
  if (next === undefined) return;
  if ('name' in next) {
    answered([next.id], () => session.handle(next));
    if (next.name === 'close') parentPort?.close();
  } else
    answered(
      next.map(({id}) => id),
      () => session.commit(next.map(({args: {text}}) => ({text, batch: JSON.parse(text) as RecordBatch}))),
    );
  if (waiting.length > 0) setImmediate(run);
};

parentPort?.on('message', (request: Request) => {
  if (waiting.push(request) === 1) setImmediate(run);
});
