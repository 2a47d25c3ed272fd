// SPDX-License-Identifier: Apache-2.0
/**
 * The control plane's memory: a mirror of `/ids/` in the store, kept by one watch, with indexes. Reads come from here; writes are
 * store transactions with preconditions and return when the mirror shows them.
 *
 * I1: a read after an answered write of this server sees it (`commit` waits for the mirror).
 * I2: a write is built from what the mirror shows and carries its revisions; if another writer was faster, the store refuses it.
 * I3: a broken watch is replaced by a fresh listing; listeners then hear of every name that changed meanwhile.
 */
import {hasCode, isConflict, type Revision, type Store, type StoreEvent, type TxnOp} from '@palisade/store';
import {CONFLICT_ATTEMPTS_MAX, RETRY_DELAY_MAX_MS, RETRY_DELAY_MIN_MS} from '../limits.ts';
import type {EndpointRecord} from '../model/endpoint-record.ts';
import {fromBytes, IDS_PREFIX, type Kind, parseKey} from '../model/keys.ts';
import type {OperationRecord} from '../model/operation-record.ts';
import type {RequestRecord} from '../model/request-record.ts';
import {delay, type Log, messageOf, type Timers} from '../system.ts';
import {Collection} from './collection.ts';

const LIST_PAGE = 1_000;

export type Change = {readonly kind: Kind; readonly name: string};
type Listener = (change: Change) => void;
type Owner = {readonly endpoint: string};

/** What a write wants: the steps of one transaction, and the answer once it is committed. */
export type Plan<R> = {readonly ops: readonly TxnOp[]; readonly result: R};

export class IdsState {
  readonly endpoints = new Collection<EndpointRecord>();
  readonly operations = new Collection<OperationRecord>();
  readonly requests = new Collection<RequestRecord>();
  readonly addresses = new Collection<Owner>();
  readonly vnis = new Collection<Owner>();

  readonly #store: Store;
  readonly #timers: Timers;
  readonly #log: Log;
  readonly #listeners = new Set<Listener>();
  readonly #stop = new AbortController();
  #waiters: {readonly revision: Revision; readonly resolve: () => void}[] = [];
  #revision: Revision = 0n;
  #loop: Promise<void> | undefined;

  constructor(deps: {readonly store: Store; readonly timers: Timers; readonly log: Log}) {
    this.#store = deps.store;
    this.#timers = deps.timers;
    this.#log = deps.log;
  }

  /** Resolves when the mirror is complete. Throws what the store throws. */
  async start(): Promise<void> {
    await this.#relist();
    this.#loop = this.#follow();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
    for (const waiter of this.#waiters) waiter.resolve();
    this.#waiters = [];
  }

  /** Called once per changed name, after the mirror shows the whole batch. Returns the way to end it. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Writes the plan that `plan` makes from the mirror. When another writer was faster, waits for its change and plans again; `plan`
   * may then refuse. Throws what `plan` throws, or StoreError.
   */
  async commit<R>(plan: () => Plan<R>): Promise<R> {
    for (let attempt = 1; ; attempt += 1) {
      const {ops, result} = plan();
      if (ops.length === 0) return result;
      try {
        const revision = await this.#store.txn(ops);
        await this.#caughtUp(revision);
        return result;
      } catch (error) {
        if (!isConflict(error) || attempt >= CONFLICT_ATTEMPTS_MAX) throw error;
        await this.#showing(error.key, error.revision);
      }
    }
  }

  /** Resolves when the mirror shows the write that won. */
  async #showing(key: string, revision: Revision): Promise<void> {
    const held = await this.#store.get(key);
    const target = held?.modRevision ?? revision;
    if (target > this.#revision) return this.#caughtUp(target);
    // The key is gone and its deletion may still be under way to us; a short pause, then plan again.
    if (held === undefined) await delay(this.#timers, RETRY_DELAY_MIN_MS / 10, this.#stop.signal);
  }

  #caughtUp(revision: Revision): Promise<void> {
    if (this.#revision >= revision || this.#stop.signal.aborted) return Promise.resolve();
    return new Promise(resolve => this.#waiters.push({revision, resolve}));
  }

  async #follow(): Promise<void> {
    let pauseMs = RETRY_DELAY_MIN_MS;
    const {signal} = this.#stop;
    while (!signal.aborted) {
      try {
        for await (const batch of this.#store.watch(IDS_PREFIX, this.#revision, signal)) {
          this.#apply(batch);
          pauseMs = RETRY_DELAY_MIN_MS;
        }
        if (!signal.aborted) throw new Error('the watch ended unexpectedly');
      } catch (error) {
        if (signal.aborted || hasCode(error, 'closed')) return;
        this.#log.warn({err: messageOf(error)}, 'ids: store watch failed, listing again');
        await delay(this.#timers, pauseMs, signal);
        pauseMs = Math.min(pauseMs * 2, RETRY_DELAY_MAX_MS);
        await this.#relistQuietly();
      }
    }
  }

  async #relistQuietly(): Promise<void> {
    try {
      await this.#relist();
    } catch (error) {
      this.#log.warn({err: messageOf(error)}, 'ids: store list failed, retrying');
    }
  }

  async #relist(): Promise<void> {
    const gone = new Set(this.#all().flatMap(([kind, collection]) => collection.names().map(n => `${kind}/${n}`)));
    const changed: Change[] = [];
    let at: Revision | undefined;
    let after: string | undefined;
    for (;;) {
      const page = await this.#store.list(IDS_PREFIX, {at, after, limit: LIST_PAGE});
      at ??= page.revision;
      for (const entry of page.entries) {
        const change = this.#put(entry.key, entry.value, entry.modRevision);
        if (change === undefined) continue;
        gone.delete(`${change.kind}/${change.name}`);
        changed.push(change);
      }
      after = page.entries.at(-1)?.key;
      if (page.remaining === 0 || after === undefined) break;
    }
    for (const path of gone) {
      const change = parseKey(`${IDS_PREFIX}${path}`);
      if (change === undefined) continue;
      this.#collection(change.kind).delete(change.name);
      changed.push(change);
    }
    this.#advance(at, changed);
  }

  #apply(batch: readonly StoreEvent[]): void {
    const changed: Change[] = [];
    let revision = this.#revision;
    for (const event of batch) {
      revision = event.revision;
      const key = event.type === 'put' ? event.entry.key : event.key;
      const change = parseKey(key);
      if (change === undefined) continue;
      if (event.type === 'put') this.#put(key, event.entry.value, event.revision);
      else this.#collection(change.kind).delete(change.name);
      changed.push(change);
    }
    this.#advance(revision, changed);
  }

  #put(key: string, value: Uint8Array, revision: Revision): Change | undefined {
    const change = parseKey(key);
    if (change === undefined) return undefined;
    this.#collection(change.kind).put(change.name, {record: fromBytes(value), revision});
    return change;
  }

  #advance(revision: Revision, changed: readonly Change[]): void {
    this.#revision = revision;
    const ready = this.#waiters.filter(waiter => waiter.revision <= revision);
    this.#waiters = this.#waiters.filter(waiter => waiter.revision > revision);
    for (const waiter of ready) waiter.resolve();
    for (const change of changed) for (const listener of this.#listeners) listener(change);
  }

  #collection(kind: Kind): Collection<unknown> {
    return this[kind] as Collection<unknown>;
  }

  #all(): readonly (readonly [Kind, Collection<unknown>])[] {
    const kinds: readonly Kind[] = ['endpoints', 'operations', 'requests', 'addresses', 'vnis'];
    return kinds.map(kind => [kind, this.#collection(kind)] as const);
  }
}
