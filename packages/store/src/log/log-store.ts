// SPDX-License-Identifier: Apache-2.0
/**
 * The Store over any LogDriver. Current entries, and which versions there were, are in memory (KeyIndex); a driver is
 * asked only to keep a batch, and for values of the past.
 *
 * I1 an answered write is durable (GroupCommit).
 * I2 reads and watches see durable revisions only, in order, each as a whole: `#publish` is the one place that moves on.
 * I3 revisions have no gaps: a number is given when a write is decided, and taken back when its batch fails.
 * I4 `#compacted` is raised before anything is erased, and reads check it again after they waited.
 */
import type {StoreLimits} from '../limits.ts';
import type {Entry, Key, Page, Revision, Store, StoreEvent, TxnOp} from '../store.ts';
import {StoreError} from '../store-error.ts';
import {type Change, type ChangeId, revisionOf, toEntry} from './change.ts';
import {type CompactionStep, Compactor} from './compactor.ts';
import {assertTxn, DecidedState, type Head} from './decide.ts';
import type {LogDriver} from './driver.ts';
import {GroupCommit} from './group-commit.ts';
import type {KeyIndex, Version} from './key-index.ts';
import {type Batch, LiveFeed} from './live-feed.ts';
import {type Loaded, loadLog} from './load.ts';
import {type WatchSource, watchLog} from './watch.ts';

const ABSENT: Head = {changeId: 0, exists: false, createRevision: 0};

export type LogStoreOptions = {
  readonly limits: StoreLimits;
  /** Runs a task once the writes that are arriving right now have arrived (setImmediate). */
  readonly defer: (task: () => void) => void;
  /** Milliseconds since some moment; never jumps. Default: the clock of the process. */
  readonly now?: (() => number) | undefined;
  readonly onCompactionStep?: ((step: CompactionStep) => void) | undefined;
  /** Called after each successful write of the log, with its milliseconds. */
  readonly onCommit?: ((ms: number) => void) | undefined;
};

/** `revisions` that can be read besides the newest; `versions`: changes that only they need. */
export type StoreHistory = {readonly revisions: number; readonly versions: number};

export class LogStore implements Store {
  readonly #driver: LogDriver;
  readonly #limits: StoreLimits;
  readonly #index: KeyIndex;
  readonly #decided: DecidedState;
  readonly #commits: GroupCommit;
  readonly #feed: LiveFeed;
  readonly #compactor: Compactor;
  readonly #watchSource: WatchSource;
  /** Newest durable revision, and the newest that was given to a write. */
  #revision: number;
  #given: number;
  #compacted: number;
  #closing: Promise<void> | undefined;

  constructor(driver: LogDriver, loaded: Loaded, options: LogStoreOptions) {
    const {limits, defer, now = () => performance.now(), onCompactionStep: onStep = () => {}, onCommit} = options;
    this.#driver = driver;
    this.#limits = limits;
    this.#index = loaded.index;
    this.#revision = loaded.revision;
    this.#given = loaded.revision;
    this.#compacted = loaded.compacted;
    this.#feed = new LiveFeed(limits);
    this.#decided = new DecidedState(key => this.#durableHead(key));
    this.#commits = new GroupCommit({
      append: async changes => {
        const startMs = now();
        await driver.append(changes);
        onCommit?.(now() - startMs);
      },
      onDurable: changes => this.#publish(changes),
      onFailed: () => {
        this.#given = this.#revision;
        this.#decided.reset();
      },
      defer,
      limits,
    });
    const letWritesPass = (): Promise<void> => this.#commits.passed();
    this.#compactor = new Compactor(driver, loaded.index, {
      ...{now, letWritesPass, onStep},
      stepMs: limits.compactionStepMs,
    });
    this.#watchSource = {
      driver,
      feed: this.#feed,
      replayRevisionsMax: limits.replayRevisionsMax,
      replayBytesMax: limits.replayBytesMax,
      current: ({id, key}) => (this.#index.currentId(key) === id ? this.#index.current(key) : undefined),
      revision: () => this.#revision,
      assertReadable: revision => this.#assertReadable(BigInt(revision)),
    };
  }

  async currentRevision(): Promise<Revision> {
    this.#assertOpen();
    return BigInt(this.#revision);
  }

  async compactedRevision(): Promise<Revision> {
    this.#assertOpen();
    return BigInt(this.#compacted);
  }

  async get(key: Key, at?: Revision): Promise<Entry | undefined> {
    if (at === undefined) {
      this.#assertOpen();
      return this.#index.current(key);
    }
    const version = this.#index.versionAt(key, this.#assertReadable(at));
    return version === undefined ? undefined : (await this.#entries([version], at))[0];
  }

  async list(
    prefix: Key,
    opts: {readonly at?: Revision | undefined; readonly after?: Key | undefined; readonly limit: number},
  ): Promise<Page> {
    const {at, after, limit} = opts;
    const revision = at === undefined ? this.#revision : this.#assertReadable(at);
    this.#assertOpen();
    const {pageItemsMax} = this.#limits;
    if (!Number.isInteger(limit) || limit < 1 || limit > pageItemsMax)
      throw new StoreError('invalid-argument', {
        key: prefix,
        message: `limit ${limit} is not from 1 to ${pageItemsMax}`,
      });
    if (revision === this.#revision) return {...this.#index.page(prefix, after, limit), revision: BigInt(revision)};
    const {versions, remaining} = this.#index.pageAt(revision, {prefix, after, limit});
    const entries = await this.#entries(versions, BigInt(revision));
    return {entries, revision: BigInt(revision), remaining};
  }

  put(key: Key, value: Uint8Array, expected?: Revision): Promise<Revision> {
    return this.txn([{op: 'put', key, value, expected}]);
  }

  delete(key: Key, expected?: Revision): Promise<Revision> {
    return this.txn([{op: 'delete', key, expected}]);
  }

  txn(ops: readonly TxnOp[]): Promise<Revision> {
    return new Promise((resolve, reject) => {
      this.#assertOpen();
      const bytes = assertTxn(ops, this.#limits);
      this.#commits.assertRoom();
      const refusal = this.#decided.refusal(ops);
      if (refusal !== undefined && revisionOf(refusal.head.changeId) <= this.#revision) throw refusal.error;
      const changes = refusal === undefined ? this.#decided.advance(ops, this.#given + 1) : [];
      if (changes.length > 0) this.#given++;
      const revision = BigInt(this.#given);
      const settle = (failure: StoreError | undefined): void => {
        const error = failure ?? refusal?.error;
        if (error === undefined) resolve(revision);
        else reject(error);
      };
      this.#commits.add({changes, bytes, settle});
    });
  }

  watch(prefix: Key, from: Revision, signal: AbortSignal): AsyncIterable<Batch> {
    return watchLog(this.#watchSource, prefix, {from: Number(from), signal});
  }

  async compact(below: Revision): Promise<void> {
    const revision = Number(below);
    if (revision > this.#compacted) {
      this.#assertReadable(below);
      this.#compacted = revision;
    }
    this.#assertOpen();
    await this.#compactor.run(this.#compacted);
  }

  /** What only reads of the past need. */
  history(): StoreHistory {
    return {revisions: this.#revision - this.#compacted, versions: this.#index.versions};
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Moves on to a durable batch: index, then watches. */
  #publish(changes: readonly Change[]): void {
    const events: StoreEvent[] = [];
    for (const change of changes) {
      const entry = toEntry(change);
      const previous = this.#index.apply(change, entry);
      this.#decided.settle(change);
      const revision = entry?.modRevision ?? BigInt(revisionOf(change.id));
      if (entry !== undefined) events.push({type: 'put', revision, entry, previous});
      else if (previous !== undefined) events.push({type: 'delete', revision, key: change.key, previous});
    }
    const last = changes.at(-1);
    if (last === undefined) return;
    this.#revision = revisionOf(last.id);
    this.#feed.publish(events);
  }

  #durableHead(key: Key): Head {
    const id = this.#index.currentId(key);
    if (id === 0) return ABSENT;
    return {changeId: id, exists: true, createRevision: Number(this.#index.current(key)?.createRevision)};
  }

  /** Entries for versions, in order; old ones come from the driver. */
  async #entries(versions: readonly Version[], at: Revision): Promise<Entry[]> {
    const ids = versions.filter(version => typeof version === 'number');
    const old = new Map<ChangeId, Entry | undefined>();
    for (let start = 0; start < ids.length; start += this.#limits.readIdsMax) {
      let changes: readonly Change[];
      try {
        changes = await this.#driver.read(ids.slice(start, start + this.#limits.readIdsMax));
      } finally {
        this.#assertReadable(at); // what a compaction took away is not damage
      }
      for (const change of changes) old.set(change.id, toEntry(change));
    }
    return versions.flatMap(version => (typeof version === 'number' ? old.get(version) : version) ?? []);
  }

  async #close(): Promise<void> {
    await this.#commits.drained();
    this.#feed.end(new StoreError('closed', {message: 'the store was closed'}));
    await this.#compactor.close();
    await this.#driver.close();
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new StoreError('closed', {message: 'the store is closed'});
  }

  /** The revision as a number. Throws `closed`, `compacted`, `future-revision`. */
  #assertReadable(at: Revision): number {
    this.#assertOpen();
    if (at < 0n) throw new StoreError('invalid-argument', {revision: at, message: `${at} is not a revision`});
    if (at > BigInt(this.#revision))
      throw new StoreError('future-revision', {
        revision: at,
        message: `revision ${at} does not exist yet, the newest is ${this.#revision}`,
      });
    if (at < BigInt(this.#compacted))
      throw new StoreError('compacted', {
        revision: at,
        message: `revision ${at} was compacted, the oldest is ${this.#compacted}`,
      });
    return Number(at);
  }
}

/** Opens the driver and puts the rules over it. A failed open closes the driver. */
export async function openLogStore(driver: LogDriver, options: LogStoreOptions): Promise<LogStore> {
  try {
    return new LogStore(driver, await loadLog(driver, options.limits.readIdsMax), options);
  } catch (error) {
    await driver.close();
    throw error;
  }
}
