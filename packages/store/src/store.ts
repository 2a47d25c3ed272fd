// SPDX-License-Identifier: Apache-2.0
/** The Store port: a revisioned map of opaque bytes. The same model as etcd, so that an etcd driver fits. */

/** UTF-8 path such as `/kube/endpoints/default/web`. Keys sort by their UTF-8 bytes. 1..1024 bytes, no NUL. */
export type Key = string;
/** Grows by one with each committed transaction; 0n is the empty store. */
export type Revision = bigint;

export type Entry = {
  readonly key: Key;
  readonly value: Uint8Array;
  /** Revision that created the key (since its last absence). */
  readonly createRevision: Revision;
  readonly modRevision: Revision;
};

export type StoreEvent =
  | {readonly type: 'put'; readonly revision: Revision; readonly entry: Entry; readonly previous: Entry | undefined}
  | {readonly type: 'delete'; readonly revision: Revision; readonly key: Key; readonly previous: Entry};

export type Page = {
  readonly entries: readonly Entry[];
  /** The revision that every entry of this page was read at. */
  readonly revision: Revision;
  /** How many keys of the prefix follow the last entry of this page. */
  readonly remaining: number;
};

/** One step of a transaction. `expected`: the key's modRevision, 0n = absent, undefined = whatever it is. */
export type TxnOp =
  | {readonly op: 'put'; readonly key: Key; readonly value: Uint8Array; readonly expected?: Revision | undefined}
  | {readonly op: 'delete'; readonly key: Key; readonly expected?: Revision | undefined}
  /** Only the precondition. */
  | {readonly op: 'check'; readonly key: Key; readonly expected: Revision};

export interface Store extends AsyncDisposable {
  /** The newest committed revision. A read after it sees every write answered before the call. */
  currentRevision(): Promise<Revision>;
  /** Newest value at or below `at` (default: now). Throws `compacted`, `future-revision`. */
  get(key: Key, at?: Revision): Promise<Entry | undefined>;
  /** One page of a prefix in key order, every item read at the same revision. `after`: exclusive start. `limit` counts items, 1..10_000. */
  list(
    prefix: Key,
    opts: {readonly at?: Revision | undefined; readonly after?: Key | undefined; readonly limit: number},
  ): Promise<Page>;
  /**
   * Writes iff the key's modRevision is `expected` (0n: absent; undefined: whatever it is). Durable when it resolves.
   * Keeps the bytes, not a copy: do not change them afterwards. Nor those of an Entry.
   * Throws `revision-conflict`, `key-exists`, `key-not-found`, `too-large`, `invalid-argument` (the key), `disk-full`,
   * `disk-failed`, `unavailable` (too much waits already); nothing was kept then.
   */
  put(key: Key, value: Uint8Array, expected?: Revision): Promise<Revision>;
  /** Removes iff the key's modRevision is `expected`. Throws `revision-conflict`, `key-not-found`. */
  delete(key: Key, expected?: Revision): Promise<Revision>;
  /**
   * All steps or none, under one revision, durable when it resolves. 1..128 steps, each key at most once. Checks alone
   * take no revision: they resolve with the one they were made on, once it is durable.
   * Throws the first broken precondition, with its key and the revision found.
   */
  txn(ops: readonly TxnOp[]): Promise<Revision>;
  /**
   * Every change after `from`, in order, once, until `signal` aborts. Yields batches; the events of one revision are never split.
   * The live part is delivered before or in the same turn as the write's own promise resolves, or soon after; never out of order.
   * Throws `compacted` (history is gone), `future-revision`, `too-slow` (the reader's buffer, a named limit, is full), `closed`.
   */
  watch(prefix: Key, from: Revision, signal: AbortSignal): AsyncIterable<readonly StoreEvent[]>;
  /** Drops history below: later reads and watches below it throw `compacted`. A lower one than before changes nothing. Throws `future-revision`. */
  compact(below: Revision): Promise<void>;
  /** Oldest revision that can still be read. */
  compactedRevision(): Promise<Revision>;
  /** Finishes the writes in flight, then releases file, lock and worker. */
  close(): Promise<void>;
}
