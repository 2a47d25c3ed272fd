// SPDX-License-Identifier: Apache-2.0
/** The thread that writes: one request, one answer. */
import {Worker} from 'node:worker_threads';
import {RecordStoreError} from '../record-store.ts';
import type {DroppedReport, FaultReport, FromWorker, RequestName, Requests} from './messages.ts';

type Pending = {readonly resolve: (answer: unknown) => void; readonly reject: (error: RecordStoreError) => void};

export type WriterThreadOptions = {
  readonly folder: string;
  readonly onDropped: (report: DroppedReport['dropped']) => void;
  readonly onFault: (report: FaultReport['fault']) => void;
  /** It ended, and nobody had asked it to; what waited has been refused. */
  readonly onLost: (message: string) => void;
};

/** So that garbage is collected in time; a commit needs a part of it. */
const THREAD_MEMORY = {maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 512} as const;
const SCRIPT = `./worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`;

export class WriterThread {
  readonly #options: WriterThreadOptions;
  readonly #worker = new Worker(new URL(SCRIPT, import.meta.url), {resourceLimits: THREAD_MEMORY});
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;
  #isClosing = false;
  #ended: RecordStoreError | undefined;

  constructor(options: WriterThreadOptions) {
    this.#options = options;
    this.#worker.on('message', (message: FromWorker) => this.#take(message));
    this.#worker.on('error', error => this.#end(`the thread that writes records failed: ${error.message}`));
    this.#worker.on('exit', () => this.#end('the thread that writes records ended'));
  }

  /** Rejects with RecordStoreError. */
  send<N extends RequestName>(name: N, args: Requests[N]['args']): Promise<Requests[N]['answer']> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    if (name === 'close') this.#isClosing = true;
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, {resolve: resolve as Pending['resolve'], reject}); // the worker answers name N with answer N
      this.#worker.postMessage({id, name, args});
    });
  }

  async terminate(): Promise<void> {
    this.#isClosing = true;
    await this.#worker.terminate();
  }

  #take(message: FromWorker): void {
    if ('dropped' in message) this.#options.onDropped(message.dropped);
    else if ('fault' in message) this.#options.onFault(message.fault);
    else {
      const pending = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      if ('code' in message) pending?.reject(new RecordStoreError(message.code, message.message));
      else pending?.resolve(message.answer);
    }
  }

  #end(message: string): void {
    if (this.#ended !== undefined) return;
    const {folder, onLost} = this.#options;
    this.#ended = this.#isClosing
      ? new RecordStoreError('closed', `${folder}: the record store is closed`)
      : new RecordStoreError('io', `${folder}: ${message}`);
    for (const {reject} of this.#pending.values()) reject(this.#ended);
    this.#pending.clear();
    if (!this.#isClosing) onLost(message);
  }
}
