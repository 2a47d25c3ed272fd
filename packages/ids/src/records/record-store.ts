// SPDX-License-Identifier: Apache-2.0
/**
 * Threat and traffic records over the Store: the sink that sensors write to, and what readers read from.
 *
 * I1: a batch is one transaction: its records, counts, counters and checkpoint change together or not at all. The sensor cuts its batches
 *     to `batchRecordsMax`; a larger one is refused whole.
 * I2: a record is in the store once, however often its id is written.
 * I3: `counts` equal the records that are there; what retention drops is counted in the transaction that drops it.
 *
 * Retention: at most `perEndpointMax` of a kind per endpoint and `totalMax` in all (oldest first), none older than `ageMaxMs`. Records outlive their
 * endpoint by that rule; a new endpoint of the same name goes on with the list.
 */
import {type Store, StoreError, type TxnOp} from '@palisade/store';
import {type AnyRecord, parseTimestamp, type RecordKind} from '@palisade/wire/ids';
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
import {META_PREFIX, metaKey, rankOf, recordsPrefix, timeOfRank} from './record-keys.ts';
import {NO_RECORDS, type RecordBatch, type RecordCounts, type RecordMeta, type SensorPosition} from './record-sink.ts';

export type RecordStoreOptions = {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
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
export const RECORDS_PAGE = 200;
const KINDS: readonly RecordKind[] = ['threats', 'traffic'];
const DROPPED = {threats: 'threatsDropped', traffic: 'trafficDropped'} as const;

type Write = {readonly kind: RecordKind; readonly key: string; readonly value: Uint8Array};

export class RecordStore {
  readonly store: Store;
  /** Records, threats and traffic together, that one batch carries at most. */
  readonly batchRecordsMax = RECORDS_PER_TXN;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #perEndpointMax: number;
  readonly #totalMax: number;
  readonly #ageMaxMs: number;
  readonly #metas = new Map<string, RecordMeta>();
  readonly #serial = new Serial();
  #loaded: Promise<void> | undefined;

  constructor(options: RecordStoreOptions) {
    this.store = options.store;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#perEndpointMax = options.perEndpointMax ?? RECORDS_PER_ENDPOINT_MAX;
    this.#totalMax = options.totalMax ?? RECORDS_MAX;
    this.#ageMaxMs = options.ageMaxMs ?? RECORD_AGE_MAX_MS;
  }

  /** Where the sensor stands; undefined for an endpoint that is new or forgotten. */
  async load(endpoint: string): Promise<SensorPosition | undefined> {
    await this.#ready();
    return this.#metas.get(endpoint)?.position;
  }

  /** Durable when it resolves. Throws StoreError (`too-large`: more than `batchRecordsMax` records); the caller may write the same batch again. */
  async commit(batch: RecordBatch): Promise<void> {
    await this.#ready();
    await this.#serial.run(batch.endpoint, async () => {
      const {endpoint, checkpoint, counters} = batch;
      const writes: Write[] = KINDS.flatMap(kind =>
        batch[kind].map(({id, record}) => ({
          kind,
          key: recordsPrefix(kind, endpoint) + rankOf(id, record),
          value: toBytes(record),
        })),
      );
      const distinct = [...new Map(writes.map(write => [write.key, write])).values()];
      if (distinct.length > this.batchRecordsMax)
        throw new StoreError('too-large', {
          message: `a batch of ${distinct.length} records; at most ${this.batchRecordsMax} go into one`,
        });
      await this.#write(endpoint, distinct, {checkpoint, counters});
      await this.#dropSurplus(endpoint);
    });
    await this.#dropFromLongest();
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

  async counts(endpoint: string): Promise<RecordCounts> {
    await this.#ready();
    return this.#metas.get(endpoint)?.counts ?? NO_RECORDS;
  }

  /** Endpoints that have records of a kind, whether they still exist or not. */
  async endpoints(kind: RecordKind): Promise<readonly string[]> {
    await this.#ready();
    return [...this.#metas].filter(([, meta]) => meta.counts[kind] > 0).map(([endpoint]) => endpoint);
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
    for (const [endpoint, meta] of [...this.#metas]) {
      if (meta.counts.threats + meta.counts.traffic === 0) continue;
      await this.#serial.run(endpoint, async () => {
        for (const kind of KINDS)
          await this.#drop(
            endpoint,
            kind,
            Number.POSITIVE_INFINITY,
            rank => (parseTimestamp(timeOfRank(rank)) ?? 0) < oldest,
          );
      });
    }
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
      for (const {key, value} of page.entries)
        this.#metas.set(key.slice(META_PREFIX.length), fromBytes(value) as RecordMeta);
      after = page.entries.at(-1)?.key;
      if (page.remaining === 0 || after === undefined) return;
    }
  }

  async #write(endpoint: string, writes: readonly Write[], position: SensorPosition): Promise<void> {
    const counts = {...(this.#metas.get(endpoint)?.counts ?? NO_RECORDS)};
    for (const {kind, key} of writes) if ((await this.store.get(key)) === undefined) counts[kind] += 1;
    const ops = writes.map(({key, value}): TxnOp => ({op: 'put', key, value}));
    await this.#save(endpoint, {position, counts}, ops);
  }

  async #dropSurplus(endpoint: string): Promise<void> {
    const counts = await this.counts(endpoint);
    for (const kind of KINDS) {
      // In batches, so that a full list is not trimmed at every write.
      const surplus = counts[kind] - this.#perEndpointMax;
      const batch = Math.min(RECORDS_DROP_BATCH, Math.ceil(this.#perEndpointMax / 10));
      if (surplus > 0) await this.#drop(endpoint, kind, surplus + batch - 1, () => true);
    }
  }

  /** Keeps the sum of all lists in bounds. Not inside another endpoint's turn: two of them could wait for each other. */
  async #dropFromLongest(): Promise<void> {
    const lists = [...this.#metas].flatMap(([endpoint, {counts}]) =>
      KINDS.map(kind => ({endpoint, kind, count: counts[kind]})),
    );
    const total = lists.reduce((sum, {count}) => sum + count, 0);
    const longest = lists.reduce((a, b) => (b.count > a.count ? b : a), {
      endpoint: '',
      kind: 'threats' as RecordKind,
      count: 0,
    });
    const surplus = total - this.#totalMax;
    if (surplus <= 0) return;
    await this.#serial.run(longest.endpoint, () =>
      this.#drop(longest.endpoint, longest.kind, surplus + RECORDS_DROP_BATCH - 1, () => true),
    );
  }

  /** Removes up to `max` of the oldest records as long as `isOld` holds. */
  async #drop(endpoint: string, kind: RecordKind, max: number, isOld: (rank: string) => boolean): Promise<void> {
    const prefix = recordsPrefix(kind, endpoint);
    for (let dropped = 0; dropped < max; ) {
      const limit = Math.min(RECORDS_PER_TXN, max - dropped);
      const page = await this.store.list(prefix, {limit});
      const old = page.entries.filter(entry => isOld(entry.key.slice(prefix.length)));
      if (old.length === 0) return;
      const meta = this.#metas.get(endpoint) ?? {counts: NO_RECORDS};
      const counts = {
        ...meta.counts,
        [kind]: meta.counts[kind] - old.length,
        [DROPPED[kind]]: meta.counts[DROPPED[kind]] + old.length,
      };
      await this.#save(
        endpoint,
        {...meta, counts},
        old.map(({key}): TxnOp => ({op: 'delete', key})),
      );
      this.#log.info({endpoint, kind, dropped: old.length}, 'ids: retention dropped the oldest records');
      dropped += old.length;
      if (old.length < page.entries.length || page.remaining === 0) return;
    }
  }

  /** Writes `ops` and the meta together; a meta that says nothing any more goes. */
  async #save(endpoint: string, meta: RecordMeta, ops: readonly TxnOp[]): Promise<void> {
    const key = metaKey(endpoint);
    const empty = meta.position === undefined && meta.counts.threats + meta.counts.traffic === 0;
    if (!empty) await this.store.txn([...ops, {op: 'put', key, value: toBytes(meta)}]);
    else if (this.#metas.has(endpoint)) await this.store.txn([...ops, {op: 'delete', key}]);
    else if (ops.length > 0) await this.store.txn(ops);
    if (empty) this.#metas.delete(endpoint);
    else this.#metas.set(endpoint, meta);
  }
}

export const createRecordStore = (options: RecordStoreOptions): RecordStore => new RecordStore(options);
