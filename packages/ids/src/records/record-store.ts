// SPDX-License-Identifier: Apache-2.0
/**
 * Threat and traffic records over the Store: the sink that sensors write to, and what readers read from.
 *
 * I1: a batch is one transaction: its records, counts, counters and checkpoint change together or not at all. The sensor cuts its batches
 *     to `batchRecordsMax`; a larger one is refused whole.
 * I2: a record is in the store once, however often its id is written.
 * I3: `counts` equal the records that are there; what retention drops is counted in the transaction that drops it.
 * I4: no record is evicted while one of a lower class (evictions.ts) is kept that counts against the same maximum.
 *
 * Retention: at most `perEndpointMax` of a kind per endpoint and `totalMax` in all; what is too much is evicted, lowest class first. None
 * older than `ageMaxMs`, whatever its class. Records outlive their endpoint by that rule; a new endpoint of the same name continues the list.
 */

import {type AnyRecord, type EndpointHealthMessage, parseTimestamp, type RecordKind} from '@palisade/ids-wire';
import {type Store, StoreError, type TxnOp} from '@palisade/store';
import {
  RECORD_AGE_MAX_MS,
  RECORDS_DROP_BATCH,
  RECORDS_MAX,
  RECORDS_PER_ENDPOINT_MAX,
  RECORDS_PER_TXN,
} from '../limits.ts';
import {fromBytes, toBytes} from '../model/keys.ts';
import {Serial} from '../state/serial.ts';
import type {Clock, Log} from '../system.ts';
import {
  addTo,
  type ClassCounts,
  classOf,
  countOf,
  kindOfClass,
  RECORD_CLASSES,
  RecentEvictions,
  type RecordClass,
} from './evictions.ts';
import {META_PREFIX, metaKey, rankOf, recordsPrefix, timeOfRank} from './record-keys.ts';
import {NO_RECORDS, type RecordBatch, type RecordCounts, type RecordMeta, type SensorPosition} from './record-sink.ts';

export type RecordStoreOptions = {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
} & RecordRetention;

/** Default: the limits of this package. */
export type RecordRetention = {
  /** Records of one kind that an endpoint keeps. */
  readonly perEndpointMax?: number | undefined;
  /** Records in all. */
  readonly totalMax?: number | undefined;
  readonly ageMaxMs?: number | undefined;
};

export type StoredRecord = {
  readonly endpoint: string;
  /** Sorts by time; see record-keys.ts. */
  readonly rank: string;
  readonly record: AnyRecord;
};

const META_PAGE = 1_000;
const OLDER_VERSION =
  'the records of the data folder were written by an older version, which did not count them by severity; run that version, or use another data folder';
export const RECORDS_PAGE = 200;
const NONE_DROPPED: Readonly<Record<RecordClass, number>> = {
  TRAFFIC: 0,
  INFORMATIONAL: 0,
  LOW: 0,
  MEDIUM: 0,
  HIGH: 0,
  CRITICAL: 0,
};
const KINDS: readonly RecordKind[] = ['threats', 'traffic'];
/** A key of `#serial` that is no endpoint. */
const IN_ALL = '';

type Write = {
  readonly kind: RecordKind;
  readonly rank: string;
  readonly key: string;
  readonly recordClass: RecordClass;
  readonly value: Uint8Array;
};
type Dropped = 'evicted' | 'expired';
type Found = {readonly key: string; readonly recordClass: RecordClass};

const searchOf = (endpoint: string, recordClass: RecordClass): string => `${recordClass} ${endpoint}`;

/** Records that are evicted beyond the surplus, so that a full list is not trimmed at every write. */
const batchOf = (max: number): number => Math.min(RECORDS_DROP_BATCH, Math.ceil(max / 10)) - 1;

export class RecordStore {
  readonly store: Store;
  /** Records, threats and traffic together, that one batch carries at most. */
  readonly batchRecordsMax = RECORDS_PER_TXN;
  readonly #clock: Clock;
  readonly #log: Log;
  /** Records of one kind that an endpoint keeps, and records in all. */
  get maximum(): {readonly perEndpoint: number; readonly inAll: number} {
    return this.#maximum;
  }
  #maximum = {perEndpoint: RECORDS_PER_ENDPOINT_MAX, inAll: RECORDS_MAX};
  #ageMaxMs = RECORD_AGE_MAX_MS;
  readonly #metas = new Map<string, RecordMeta>();
  readonly #serial = new Serial();
  readonly #recent: RecentEvictions;
  /** Endpoint and class → a rank; no record of the class is at or before it. */
  readonly #searched = new Map<string, string>();
  readonly #dropped = {evicted: {...NONE_DROPPED}, expired: {...NONE_DROPPED}};
  #loaded: Promise<void> | undefined;

  constructor(options: RecordStoreOptions) {
    this.store = options.store;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#recent = new RecentEvictions(options.clock);
    this.setRetention(options);
  }

  /** Counts from the next commit, and for the age the next `tidy`. What is left out has its default. */
  setRetention({perEndpointMax, totalMax, ageMaxMs}: RecordRetention): void {
    this.#maximum = {perEndpoint: perEndpointMax ?? RECORDS_PER_ENDPOINT_MAX, inAll: totalMax ?? RECORDS_MAX};
    this.#ageMaxMs = ageMaxMs ?? RECORD_AGE_MAX_MS;
  }

  /** Reads what is known of every endpoint. Throws StoreError (`format`: the records are of an older version). */
  async start(): Promise<void> {
    await this.#ready();
  }

  /** The position of the sensor; undefined for an endpoint that is new or forgotten. */
  async load(endpoint: string): Promise<SensorPosition | undefined> {
    await this.#ready();
    return this.#metas.get(endpoint)?.position;
  }

  /** Durable when it resolves. Throws StoreError (`too-large`: more than `batchRecordsMax` records); the caller may write the same batch again. */
  async commit(batch: RecordBatch): Promise<void> {
    await this.#ready();
    await this.#serial.run(batch.endpoint, async () => {
      const {endpoint, checkpoint, counters, engine} = batch;
      const writes: Write[] = KINDS.flatMap(kind =>
        batch[kind].map(({id, record}) => {
          const rank = rankOf(id, record);
          const key = recordsPrefix(kind, endpoint) + rank;
          return {kind, rank, key, recordClass: classOf(kind, record), value: toBytes(record)};
        }),
      );
      const distinct = [...new Map(writes.map(write => [write.key, write])).values()];
      if (distinct.length > this.batchRecordsMax)
        throw new StoreError('too-large', {
          message: `a batch of ${distinct.length} records; at most ${this.batchRecordsMax} go into one`,
        });
      await this.#write(endpoint, distinct, {checkpoint, counters, engine});
      await this.#evictSurplus(endpoint);
    });
    await this.#evictInAll();
  }

  /** The sensor's position goes; records stay until retention takes them. */
  async forget(endpoint: string): Promise<void> {
    await this.#ready();
    await this.#serial.run(endpoint, async () => {
      const meta = this.#metas.get(endpoint);
      if (meta === undefined) return;
      await this.#save(endpoint, {counts: meta.counts}, []);
    });
  }

  /** Whether anything is known of the endpoint's records, also after it is gone. */
  async has(endpoint: string): Promise<boolean> {
    await this.#ready();
    return this.#metas.has(endpoint);
  }

  /** Records that are kept, and those that retention has dropped (evicted or too old). */
  async counts(endpoint: string): Promise<EndpointHealthMessage['records']> {
    await this.#ready();
    const {kept, evicted, expired} = this.#countsOf(endpoint);
    const dropped = (kind: RecordKind): number => countOf(evicted, kind) + countOf(expired, kind);
    return {
      threats: countOf(kept, 'threats'),
      traffic: countOf(kept, 'traffic'),
      threatsDropped: dropped('threats'),
      trafficDropped: dropped('traffic'),
    };
  }

  /** What was evicted of an endpoint: all that is known, and in the last RECORD_EVICTIONS_SHOWN_MS. */
  async evictions(endpoint: string): Promise<{readonly total: ClassCounts; readonly recent: ClassCounts}> {
    await this.#ready();
    return {total: this.#countsOf(endpoint).evicted, recent: this.#recent.of(endpoint)};
  }

  /** What was dropped of all endpoints, for metrics. Only grows; begins with the counts of the endpoints whose records are known. */
  dropped(): Readonly<Record<Dropped, Readonly<Record<RecordClass, number>>>> {
    return this.#dropped;
  }

  /** Endpoints that have records of a kind, whether they still exist or not. */
  async endpoints(kind: RecordKind): Promise<readonly string[]> {
    await this.#ready();
    return [...this.#metas].filter(([, meta]) => countOf(meta.counts.kept, kind) > 0).map(([endpoint]) => endpoint);
  }

  /** Records of one endpoint in rank order, those after a rank. Reads page by page as it is consumed. */
  async *read(kind: RecordKind, endpoint: string, after: string): AsyncGenerator<StoredRecord> {
    const prefix = recordsPrefix(kind, endpoint);
    let position = prefix + after;
    for (;;) {
      const page = await this.store.list(prefix, {after: position, limit: RECORDS_PAGE});
      for (const entry of page.entries)
        yield {endpoint, rank: entry.key.slice(prefix.length), record: fromBytes(entry.value) as AnyRecord};
      position = page.entries.at(-1)?.key ?? '';
      if (page.remaining === 0 || position === '') return;
    }
  }

  /** Drops what is too old. Called by the janitor. */
  async tidy(): Promise<void> {
    await this.#ready();
    const oldest = this.#clock.now() - this.#ageMaxMs;
    for (const endpoint of [...this.#metas.keys()])
      await this.#serial.run(endpoint, async () => {
        for (const kind of KINDS) await this.#expire(endpoint, kind, oldest);
      });
  }

  #ready(): Promise<void> {
    this.#loaded ??= this.#loadMetas().catch(error => {
      this.#loaded = undefined;
      throw error;
    });
    return this.#loaded;
  }

  async #loadMetas(): Promise<void> {
    let after: string | undefined;
    for (;;) {
      const page = await this.store.list(META_PREFIX, {after, limit: META_PAGE});
      for (const {key, value} of page.entries) {
        const meta = fromBytes(value) as RecordMeta;
        if (meta.counts.kept === undefined) throw new StoreError('format', {key, message: OLDER_VERSION});
        this.#metas.set(key.slice(META_PREFIX.length), meta);
      }
      after = page.entries.at(-1)?.key;
      if (page.remaining === 0 || after === undefined) break;
    }
    for (const {counts} of this.#metas.values())
      for (const recordClass of RECORD_CLASSES)
        for (const why of ['evicted', 'expired'] as const)
          this.#dropped[why][recordClass] += counts[why][recordClass] ?? 0;
  }

  #countsOf(endpoint: string): RecordCounts {
    return this.#metas.get(endpoint)?.counts ?? NO_RECORDS;
  }

  async #write(endpoint: string, writes: readonly Write[], position: SensorPosition): Promise<void> {
    let {kept, ...counts} = this.#countsOf(endpoint);
    for (const {kind, key, recordClass} of writes) {
      const before = await this.store.get(key);
      if (before !== undefined) kept = addTo(kept, classOf(kind, fromBytes(before.value)), -1);
      kept = addTo(kept, recordClass, 1);
    }
    const ops = writes.map(({key, value}): TxnOp => ({op: 'put', key, value}));
    await this.#save(endpoint, {position, counts: {...counts, kept}}, ops);
    for (const {rank, recordClass} of writes) {
      const search = searchOf(endpoint, recordClass);
      if (rank <= (this.#searched.get(search) ?? '')) this.#searched.set(search, rank.slice(0, -1));
    }
  }

  async #evictSurplus(endpoint: string): Promise<void> {
    const {perEndpoint} = this.maximum;
    for (const recordClass of RECORD_CLASSES) {
      const surplus = countOf(this.#countsOf(endpoint).kept, kindOfClass(recordClass)) - perEndpoint;
      if (surplus > 0) await this.#evict(endpoint, recordClass, surplus + batchOf(perEndpoint));
    }
  }

  /** Keeps the sum of all lists in bounds. Not inside an endpoint's turn: two of them could wait for each other. */
  #evictInAll(): Promise<void> {
    const {inAll} = this.maximum;
    return this.#serial.run(IN_ALL, async () => {
      for (;;) {
        const surplus = [...this.#metas.values()].reduce((sum, {counts}) => sum + countOf(counts.kept), 0) - inAll;
        const victim = surplus > 0 ? this.#victim() : undefined;
        if (victim === undefined) return;
        const {endpoint, recordClass} = victim;
        const max = surplus + batchOf(inAll);
        if ((await this.#serial.run(endpoint, () => this.#evict(endpoint, recordClass, max))) === 0) return;
      }
    });
  }

  /** The lowest class that is kept anywhere, and the endpoint that keeps the most of it. */
  #victim(): {readonly endpoint: string; readonly recordClass: RecordClass} | undefined {
    for (const recordClass of RECORD_CLASSES) {
      let most = 0;
      let victim: string | undefined;
      for (const [endpoint, {counts}] of this.#metas) {
        const kept = counts.kept[recordClass] ?? 0;
        if (kept > most) [most, victim] = [kept, endpoint];
      }
      if (victim !== undefined) return {endpoint: victim, recordClass};
    }
    return undefined;
  }

  /** Removes up to `max` of the oldest records of a class; returns how many. */
  async #evict(endpoint: string, recordClass: RecordClass, max: number): Promise<number> {
    const kind = kindOfClass(recordClass);
    const prefix = recordsPrefix(kind, endpoint);
    const search = searchOf(endpoint, recordClass);
    let evicted = 0;
    while (evicted < max && (this.#countsOf(endpoint).kept[recordClass] ?? 0) > 0) {
      const after = prefix + (this.#searched.get(search) ?? '');
      const page = await this.store.list(prefix, {after, limit: RECORDS_PAGE});
      const found: Found[] = [];
      let seen = after;
      for (const {key, value} of page.entries) {
        if (found.length === Math.min(RECORDS_PER_TXN, max - evicted)) break;
        seen = key;
        if (recordClass === classOf(kind, fromBytes(value))) found.push({key, recordClass});
      }
      if (seen === after) break;
      await this.#remove(endpoint, 'evicted', found);
      this.#noteEvicted(endpoint, recordClass, found.length);
      this.#searched.set(search, seen.slice(prefix.length));
      evicted += found.length;
    }
    return evicted;
  }

  /** The log has the first of many: the figures are in health and metrics. */
  #noteEvicted(endpoint: string, recordClass: RecordClass, count: number): void {
    if (count === 0) return;
    if (countOf(this.#recent.of(endpoint)) === 0)
      this.#log.warn({endpoint, class: recordClass, ...this.maximum}, 'ids: records evicted, limit reached');
    this.#recent.add(endpoint, recordClass, count);
  }

  async #expire(endpoint: string, kind: RecordKind, oldest: number): Promise<void> {
    const prefix = recordsPrefix(kind, endpoint);
    for (;;) {
      const page = await this.store.list(prefix, {limit: RECORDS_PER_TXN});
      const found = page.entries
        .filter(({key}) => (parseTimestamp(timeOfRank(key.slice(prefix.length))) ?? 0) < oldest)
        .map(({key, value}) => ({key, recordClass: classOf(kind, fromBytes(value))}));
      await this.#remove(endpoint, 'expired', found);
      if (found.length > 0) this.#log.info({endpoint, kind, dropped: found.length}, 'ids: old records deleted');
      if (found.length < page.entries.length || page.remaining === 0) return;
    }
  }

  /** Removes records and counts them, in one transaction. */
  async #remove(endpoint: string, why: Dropped, found: readonly Found[]): Promise<void> {
    if (found.length === 0) return;
    const meta = this.#metas.get(endpoint) ?? {counts: NO_RECORDS};
    let {kept, [why]: dropped} = meta.counts;
    for (const {recordClass} of found) {
      kept = addTo(kept, recordClass, -1);
      dropped = addTo(dropped, recordClass, 1);
    }
    const ops = found.map(({key}): TxnOp => ({op: 'delete', key}));
    await this.#save(endpoint, {...meta, counts: {...meta.counts, kept, [why]: dropped}}, ops);
    for (const {recordClass} of found) this.#dropped[why][recordClass] += 1;
  }

  /** Writes `ops` and the meta together; a meta that says nothing any more goes. */
  async #save(endpoint: string, meta: RecordMeta, ops: readonly TxnOp[]): Promise<void> {
    const key = metaKey(endpoint);
    const empty = meta.position === undefined && countOf(meta.counts.kept) === 0;
    if (!empty) await this.store.txn([...ops, {op: 'put', key, value: toBytes(meta)}]);
    else if (this.#metas.has(endpoint)) await this.store.txn([...ops, {op: 'delete', key}]);
    else if (ops.length > 0) await this.store.txn(ops);
    if (empty) {
      this.#metas.delete(endpoint);
      for (const recordClass of RECORD_CLASSES) this.#searched.delete(searchOf(endpoint, recordClass));
    } else this.#metas.set(endpoint, meta);
  }
}

export const createRecordStore = (options: RecordStoreOptions): RecordStore => new RecordStore(options);
