// SPDX-License-Identifier: Apache-2.0
/** The reader in a thread of its own, so that no search keeps the server or a commit waiting. */
import {Worker} from 'node:worker_threads';
import {READER_HEAP_MIB} from '../../../limits.ts';
import {type ChangesPage, RecordStoreError, type StoredRecord} from '../../record-store.ts';
import {DamagedFileError} from '../faults.ts';
import type {RecordReader} from './reader.ts';
import type {FromReader, ReadName, ReadRequest, ToReader} from './reader-messages.ts';

type Waiting = {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: RecordStoreError) => void;
  /** Of the answer, as far as it has come. */
  readonly records: StoredRecord[];
};

const FILE = `./reader-worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`;

export class ReaderThread implements RecordReader {
  readonly #folder: string;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #ids = 0;
  #isClosed = false;

  constructor(folder: string) {
    this.#folder = folder;
  }

  page: RecordReader['page'] = request => this.#ask('page', [request]);
  aggregate: RecordReader['aggregate'] = request => this.#ask('aggregate', [request]);
  changes: RecordReader['changes'] = async request => {
    const records: StoredRecord[] = [];
    const rest = await this.#ask<'changes', Omit<ChangesPage, 'missed' | 'records'>>('changes', [request], records);
    return {...rest, records};
  };
  backlog: RecordReader['backlog'] = (kind, after) => this.#ask('backlog', [kind, after]);
  get: RecordReader['get'] = (kind, endpoint, id) => this.#ask('get', [kind, endpoint, id]);
  evidence: RecordReader['evidence'] = (endpoint, id) => this.#ask('evidence', [endpoint, id]);

  dropped(files: readonly string[]): void {
    this.#worker?.postMessage({forget: files} satisfies ToReader);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
    this.#failAll(new RecordStoreError('closed', `${this.#folder}: the record store is closed`));
  }

  /** The thread starts with the first read, and again after it failed. */
  #ask<N extends ReadName, T>(
    name: N,
    args: Extract<ReadRequest, {name: N}>['args'],
    records: StoredRecord[] = [],
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#isClosed) return reject(new RecordStoreError('closed', `${this.#folder}: the record store is closed`));
      this.#worker ??= this.#start();
      const id = ++this.#ids;
      this.#waiting.set(id, {resolve: resolve as (answer: unknown) => void, reject, records});
      this.#worker.ref();
      this.#worker.postMessage({id, name, args} as ReadRequest);
    });
  }

  #start(): Worker {
    const worker = new Worker(new URL(FILE, import.meta.url), {
      workerData: this.#folder,
      resourceLimits: {maxOldGenerationSizeMb: READER_HEAP_MIB, maxYoungGenerationSizeMb: YOUNG_MIB},
    });
    worker.unref(); // it holds nothing that has to be finished
    worker.on('message', (reply: FromReader) => this.#settle(reply));
    worker.on('error', error =>
      this.#lost(worker, `the thread that reads records failed (${error.message}); the next read starts another one`),
    );
    worker.on('exit', () =>
      this.#lost(worker, 'the thread that reads records ended; the next read starts another one'),
    );
    return worker;
  }

  #settle(reply: FromReader): void {
    const waiting = this.#waiting.get(reply.id);
    if ('part' in reply) {
      for (const record of reply.part) waiting?.records.push(record);
      return;
    }
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#worker?.unref();
    if ('answer' in reply) waiting?.resolve(reply.answer);
    else if (reply.file !== undefined) waiting?.reject(new DamagedFileError(reply.file, reply.message));
    else waiting?.reject(new RecordStoreError(reply.code, reply.message));
  }

  #lost(worker: Worker, message: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#failAll(new RecordStoreError('io', `${this.#folder}: ${message}`));
  }

  #failAll(error: RecordStoreError): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const {reject} of waiting) reject(error);
  }
}

/** A semi-space of V8; the default makes the thread larger than what it reads. */
const YOUNG_MIB = 2;

/** `folder`: of a record store that is open. */
export const openReader = (folder: string): ReaderThread => new ReaderThread(folder);
