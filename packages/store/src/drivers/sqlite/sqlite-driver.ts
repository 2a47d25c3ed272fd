// SPDX-License-Identifier: Apache-2.0
/** The main thread's side of the SQLite driver: packs, asks the worker, unpacks. */
import {Worker} from 'node:worker_threads';
import {STORE_LIMITS} from '../../limits.ts';
import type {Change, ChangeHead, ChangeId} from '../../log/change.ts';
import type {EraseStep, LogDriver, Opened, Replay, Step} from '../../log/driver.ts';
import type {Key} from '../../store.ts';
import {isDiskRefusal, StoreError} from '../../store-error.ts';
import type {HistoryBounds} from './change-table.ts';
import type {CommitProbe} from './commit-probe.ts';
import {DiskState, type DiskWatch} from './disk-state.ts';
import type {Reply, RequestName, Requests} from './messages.ts';
import {packChanges, transferOf, unpackChanges} from './packed-changes.ts';
import type {StoreSpace} from './space.ts';
import type {WalTail} from './wal-tail.ts';

export type SqliteDriverOptions = {
  readonly file: string;
  readonly fileBytesMax: number;
  /** Milliseconds of one step of `erase` or `shrink`; default: that of the limits. */
  readonly stepMs?: number | undefined;
  readonly probe?: CommitProbe | undefined;
  /** Called once when the thread is lost after `open` succeeded; from then on every request is refused with this. */
  readonly onFailed?: ((failure: StoreError) => void) | undefined;
  readonly disk?: DiskWatch | undefined;
  /** Called by `open` when it cut a torn transaction off the log. */
  readonly onTornTail?: ((tail: WalTail) => void) | undefined;
};
type Pending = {readonly resolve: (answer: unknown) => void; readonly reject: (error: StoreError) => void};

/** What an operator does when the thread is lost; in each message about it. */
const WAY_OUT = 'restart the server: acknowledged writes are on disk';

/** Memory of a batch beyond this is not kept for the next. */
const SPARE_BYTES_MAX = 1024 * 1024;

export class SqliteDriver implements LogDriver {
  readonly place: string;
  readonly #options: SqliteDriverOptions;
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  readonly #exited: Promise<void>;
  readonly #disk: DiskState | undefined;
  #nextId = 1;
  /** What the last batch was packed into. */
  #spare: ArrayBuffer | undefined;
  /** The newest change that is kept. */
  #last: ChangeId = 0;
  #ended: StoreError | undefined;
  #state: 'opening' | 'open' | 'closing' = 'opening';

  constructor(options: SqliteDriverOptions) {
    this.place = options.file;
    this.#options = options;
    const {disk} = options;
    this.#disk = disk && new DiskState(disk, bytes => this.#ask('tryDisk', {after: this.#last, bytes}));
    this.#worker = new Worker(new URL(`./worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url));
    this.#worker.on('message', (reply: Reply) => this.#settle(reply));
    this.#worker.on('error', error => this.#end(`the store thread failed: ${error.message}; ${WAY_OUT}`));
    this.#exited = new Promise(resolve => {
      this.#worker.once('exit', () => {
        this.#end(`the store thread ended; ${WAY_OUT}`);
        resolve();
      });
    });
  }

  async open(): Promise<Opened> {
    const {file, fileBytesMax, stepMs = STORE_LIMITS.driverStepMs, probe, onTornTail} = this.#options;
    const {tail, ...opened} = await this.#ask('open', {file, fileBytesMax, stepMs, probe: probe?.memory});
    this.#state = 'open';
    if (tail !== undefined) onTornTail?.(tail);
    return opened;
  }

  async heads(after: ChangeId): Promise<readonly ChangeHead[]> {
    const heads = unpackChanges(await this.#ask('heads', {after}));
    this.#last = heads.at(-1)?.id ?? this.#last;
    return heads;
  }

  async append(changes: readonly Change[]): Promise<void> {
    const packed = packChanges(changes, this.#spare);
    this.#spare = undefined;
    const {length} = packed.bytes;
    const memory = await this.#writing(
      this.#ask('append', {after: this.#last, changes: packed}, transferOf(packed)),
      length,
    );
    if (memory.byteLength <= SPARE_BYTES_MAX) this.#spare = memory;
    this.#last = changes.at(-1)?.id ?? this.#last;
  }

  async read(ids: readonly ChangeId[]): Promise<readonly Change[]> {
    return unpackChanges(await this.#reading(this.#ask('read', {ids})));
  }

  async scan(prefix: Key, range: {after: ChangeId; through: ChangeId; bytesMax: number}): Promise<Replay> {
    const {changes, previous, through} = await this.#reading(this.#ask('scan', {prefix, ...range}));
    const superseded = new Map(unpackChanges(previous).map(change => [change.id, change]));
    const rows = unpackChanges(changes).map(change => ({change, previous: superseded.get(change.previousId)}));
    return {rows, through};
  }

  erase(compacted: number): Promise<EraseStep> {
    return this.#writing(this.#ask('erase', {compacted}), 0);
  }

  shrink(): Promise<Step> {
    return this.#reading(this.#ask('shrink', undefined)); // its failure says nothing of writes
  }

  newestWithin(newest: number, bounds: HistoryBounds): Promise<number> {
    return this.#reading(this.#ask('newestWithin', {newest, bounds}));
  }

  space(): Promise<StoreSpace> {
    return this.#ask('space', undefined);
  }

  async close(): Promise<void> {
    this.#state = 'closing';
    this.#disk?.close();
    if (this.#ended === undefined) await this.#ask('close', undefined);
    await this.#exited;
  }

  #ask<N extends RequestName>(
    name: N,
    args: Requests[N]['args'],
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<Requests[N]['answer']> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, {resolve: resolve as Pending['resolve'], reject}); // the worker answers name N with answer N
      this.#worker.postMessage({id, name, args}, transfer);
    });
  }

  /** Notes a refusal, but for a lost thread: `onFailed` reports that. */
  async #writing<T>(answer: Promise<T>, bytes: number): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof StoreError && this.#ended === undefined) this.#disk?.refused(error, bytes);
      throw error;
    }
  }

  /** A disk that takes writes is reported by nobody: then a refusal is an ordinary error, and the caller logs it. */
  async #reading<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (!isDiskRefusal(error) || this.#disk?.isRefusing === true) throw error;
      throw new StoreError('unavailable', error, {cause: error});
    }
  }

  #settle(reply: Reply): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if ('code' in reply) pending?.reject(new StoreError(reply.code, reply));
    else pending?.resolve(reply.answer);
  }

  #end(message: string): void {
    if (this.#ended !== undefined) return;
    this.#ended = new StoreError('unavailable', {message: `${this.#options.file}: ${message}`});
    if (this.#state === 'open') this.#options.onFailed?.(this.#ended);
    for (const {reject} of this.#pending.values()) reject(this.#ended);
    this.#pending.clear();
  }
}
