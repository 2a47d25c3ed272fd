// SPDX-License-Identifier: Apache-2.0
/** The record store in files below a folder: a thread that writes, and a reader. Ref: schema.ts, writer.ts. */
import {parseMicros, type RecordKind} from '@palisade/ids-wire';
import {RECORD_THREAD_RESTART_MAX_MS, RECORD_THREAD_RESTART_MIN_MS, RECORDS_PER_TXN} from '../../limits.ts';
import type {Clock, Log} from '../../system.ts';
import type {BudgetName, Budgets} from '../budgets.ts';
import {type Epoch, isOfHistory} from '../epochs.ts';
import {countOf, RECORD_CLASSES, RecentEvictions, type RecordClass} from '../evictions.ts';
import {matchingRecords} from '../list-records.ts';
import {timeOfId} from '../record-id.ts';
import type {RecordBatch} from '../record-sink.ts';
import {
  type ChangesPage,
  type CopyToRead,
  type GoneReaders,
  type ReaderPosition,
  type RecordCursor,
  type RecordSelection,
  type RecordStore,
  RecordStoreError,
  type StoredRecord,
  type TriageChange,
  type TriageSum,
  type TriageTarget,
} from '../record-store.ts';
import {SHRUNK} from './dropping.ts';
import {DamagedFileError} from './faults.ts';
import type {DroppedReport, DroppedSums, FaultReport, RequestName, Requests} from './messages.ts';
import {GONE} from './partitions.ts';
import type {RecordReader} from './read/reader.ts';
import {openReader} from './read/reader-thread.ts';
import {WriterThread} from './writer-thread.ts';

export type SqliteRecordStoreOptions = {
  /** Is made when it is absent. */
  readonly folder: string;
  readonly budgets: Budgets;
  readonly clock: Clock;
  readonly log: Log;
  /** Opened when the folder is. */
  readonly reader?: ((folder: string) => RecordReader) | undefined;
};

const WHYS = ['evicted', 'expired', 'lost'] as const;
const LOST: Readonly<Record<string, string>> = {
  [GONE]: 'record file is gone',
  [SHRUNK]: 'record file lost its newest records',
};
const NOTHING = Object.fromEntries(RECORD_CLASSES.map(name => [name, 0])) as Record<RecordClass, number>;

export const openSqliteRecordStore = (options: SqliteRecordStoreOptions): RecordStore => new SqliteRecordStore(options);

class SqliteRecordStore implements RecordStore {
  readonly batchRecordsMax = RECORDS_PER_TXN;
  readonly #options: SqliteRecordStoreOptions;
  readonly #listeners = new Set<() => void>();
  readonly #recent: RecentEvictions;
  #dropped = {evicted: {...NOTHING}, expired: {...NOTHING}, lost: {...NOTHING}};
  #budgets: Budgets;
  #reader: RecordReader | undefined;
  #epochs: readonly Epoch[] = [];
  #sequence = 0;
  /** Something was dropped that a reader may not have seen. */
  #mayMiss = false;
  #started: Promise<void> | undefined;
  #thread: WriterThread | undefined;
  /** How long the next start waits after the last one, while threads keep ending. */
  #restartMs = 0;
  #startedAtMs = 0;
  #isClosed = false;

  constructor(options: SqliteRecordStoreOptions) {
    this.#options = options;
    this.#budgets = options.budgets;
    this.#recent = new RecentEvictions(options.clock);
  }

  /** A first start that fails is final; after it, a thread that ended is replaced with the next request, not too often. */
  start(): Promise<void> {
    if (this.#isClosed) return Promise.reject(this.#closed());
    if (this.#started !== undefined) return this.#started;
    const {clock, folder} = this.#options;
    const waitMs = this.#startedAtMs + this.#restartMs - clock.now();
    if (waitMs > 0) {
      const message = `${folder}: the thread that writes records starts again in ${waitMs} ms`;
      return Promise.reject(new RecordStoreError('io', message));
    }
    this.#started = this.#start();
    return this.#started;
  }

  async #start(): Promise<void> {
    const {folder, clock, log} = this.#options;
    this.#startedAtMs = clock.now();
    const thread = new WriterThread({
      folder,
      onDropped: report => this.#takeDropped(report),
      onFault: ({message, ...fields}: FaultReport['fault']) => log.error(fields, message),
      onLost: message => this.#lost(message),
    });
    this.#thread = thread;
    try {
      const {epochs, sequence, dropped, hasMissed} = await thread.send('start', {folder, budgets: this.#budgets});
      this.#epochs = epochs;
      this.#sequence = sequence;
      this.#dropped = {evicted: {...NOTHING}, expired: {...NOTHING}, lost: {...NOTHING}};
      this.#addDropped(dropped);
      this.#mayMiss = hasMissed;
      if (this.#reader !== undefined) log.warn({folder}, 'record store started again');
      this.#reader ??= (this.#options.reader ?? openReader)(folder);
    } catch (error) {
      await thread.terminate();
      if (this.#reader !== undefined) this.#lost(error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  /** What waited has been refused, and is sent again by those who sent it. */
  #lost(message: string): void {
    const {clock, folder, log} = this.#options;
    this.#started = undefined;
    this.#thread = undefined;
    const isQuick = clock.now() - this.#startedAtMs < RECORD_THREAD_RESTART_MAX_MS;
    this.#restartMs = isQuick
      ? Math.min(Math.max(this.#restartMs * 2, RECORD_THREAD_RESTART_MIN_MS), RECORD_THREAD_RESTART_MAX_MS)
      : RECORD_THREAD_RESTART_MIN_MS;
    log.error({folder, error: message}, 'record store thread ended, the next request starts another one');
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    await this.#started?.catch(() => {});
    this.#isClosed = true;
    await this.#reader?.close();
    await this.#thread?.send('copyEnd', {id: undefined}).catch(() => {}); // a thread that ended has no copy
    await this.#thread?.send('close', undefined);
  }

  #closed(): RecordStoreError {
    return new RecordStoreError('closed', `${this.#options.folder}: the record store is closed`);
  }

  load = (endpoint: string) => this.#ask('load', {endpoint});
  has = (endpoint: string) => this.#ask('has', {endpoint});

  async commit(batch: RecordBatch): Promise<void> {
    const {length} = [...batch.threats, ...batch.traffic];
    if (length > this.batchRecordsMax)
      throw new RecordStoreError(
        'too-large',
        `a batch of ${length} records; at most ${this.batchRecordsMax} go into one`,
      );
    const {sequence} = await this.#ask('commit', {text: JSON.stringify(batch)});
    this.#changed(sequence);
  }

  async forget(endpoint: string): Promise<void> {
    await this.#ask('forget', {endpoint});
  }

  async counts(endpoint: string) {
    const {kept, evicted, expired, lost} = await this.#ask('counts', {endpoint});
    const dropped = (kind: RecordKind): number =>
      [evicted, expired, lost].reduce((sum, counts) => sum + countOf(counts, kind), 0);
    return {
      threats: countOf(kept, 'threats'),
      traffic: countOf(kept, 'traffic'),
      threatsDropped: dropped('threats'),
      trafficDropped: dropped('traffic'),
    };
  }

  async evictions(endpoint: string) {
    const {evicted, lost} = await this.#ask('counts', {endpoint});
    return {total: evicted, recent: this.#recent.of(endpoint), lost};
  }

  dropped() {
    return this.#dropped;
  }

  usage = () => this.#ask('usage', undefined);

  page: RecordStore['page'] = request => this.#reading(reader => reader.page(this.#young(request)));
  aggregate: RecordStore['aggregate'] = request => this.#reading(reader => reader.aggregate(this.#young(request)));

  async get(kind: RecordKind, endpoint: string, id: string): Promise<StoredRecord | undefined> {
    await this.start();
    return this.#isYoung(kind, timeOfId(id)) ? this.#reading(reader => reader.get(kind, endpoint, id)) : undefined;
  }

  async evidence(endpoint: string, id: string): Promise<string | undefined> {
    await this.start();
    return this.#isYoung('evidence', timeOfId(id)) ? this.#reading(reader => reader.evidence(endpoint, id)) : undefined;
  }

  async position() {
    await this.start();
    return {history: this.#epochs.at(-1)?.name ?? '', sequence: this.#sequence};
  }

  async holds(cursor: RecordCursor): Promise<boolean> {
    await this.start();
    return isOfHistory(this.#epochs, this.#sequence, cursor);
  }

  changes: RecordStore['changes'] = async (request): Promise<ChangesPage> => {
    await this.start();
    const until = this.#sequence;
    if (request.after >= until) return {records: [], sequence: request.after, isLast: true, missed: 0};
    const page = await this.#reading(reader => reader.changes({...request, until}));
    const records = page.records.filter(({record}) => this.#isYoung(request.kind, parseMicros(record.event_time)));
    const missed = this.#mayMiss
      ? await this.#ask('missed', {kind: request.kind, after: request.after, until: page.sequence})
      : 0;
    return {...page, records, missed};
  };

  backlog = (kind: RecordKind, after: number): Promise<number> => this.#reading(reader => reader.backlog(kind, after));

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async triage(target: TriageTarget, change: TriageChange, onStep?: (step: TriageSum) => void): Promise<TriageSum> {
    await this.start();
    const sum = {matched: 0, changed: 0};
    for await (const items of this.#targets(target)) {
      const {matched, changed, sequence} = await this.#ask('decide', {items, change, isOne: 'id' in target});
      sum.matched += matched;
      sum.changed += changed;
      onStep?.({matched, changed});
      if (changed > 0) this.#changed(sequence);
    }
    return sum;
  }

  async *#targets(target: TriageTarget): AsyncGenerator<readonly {readonly endpoint: string; readonly id: string}[]> {
    if ('id' in target) {
      if (this.#isYoung('threats', timeOfId(target.id))) yield [target];
      return;
    }
    const pages = matchingRecords(this, target, this.#sequence); // what is written meanwhile was not meant
    for await (const page of pages) yield page.map(({endpoint, id}) => ({endpoint, id}));
  }

  loadReader = (name: string) => this.#ask('loadReader', {name});

  async saveReader(name: string, position: ReaderPosition): Promise<void> {
    await this.#ask('saveReader', {name, position});
  }

  forgetReaders = (gone: GoneReaders) => this.#ask('forgetReaders', {gone});

  async *snapshot(signal: AbortSignal): AsyncGenerator<CopyToRead> {
    if (signal.aborted) throw this.#copyEnded();
    const id = await this.#ask('copyBegin', undefined);
    const end = (): Promise<unknown> => this.#ask('copyEnd', {id}).catch(() => {}); // it ended with its thread
    let isSaid = false;
    const onRead = (): void => {
      if (isSaid) return; // one call at a time: it stands in line with commits
      isSaid = true;
      const done = (): void => {
        isSaid = false;
      };
      this.#ask('copyRead', {id}).then(done, done);
    };
    signal.addEventListener('abort', end, {once: true});
    try {
      for (;;) {
        if (signal.aborted) throw this.#copyEnded();
        const file = await this.#ask('copyNext', {id});
        if (file === undefined) return;
        yield {...file, onRead};
      }
    } finally {
      signal.removeEventListener('abort', end);
      await end();
    }
  }

  #copyEnded(): RecordStoreError {
    return new RecordStoreError('closed', `${this.#options.folder}: the copy of the records was ended`);
  }

  setBudgets(budgets: Budgets): void {
    this.#budgets = budgets;
    void this.#ask('setBudgets', {budgets}).catch(() => {}); // a closed store has no use for them
  }

  async tidy(): Promise<void> {
    await this.#ask('tidy', {nowMs: this.#options.clock.now()});
  }

  /** From when on records of a budget are shown; milliseconds. */
  #since(name: BudgetName): number {
    return this.#options.clock.now() - this.#budgets[name].ageMs;
  }

  #young<S extends RecordSelection>(selection: S): S {
    return {...selection, sinceMs: Math.max(selection.sinceMs ?? 0, this.#since(selection.kind))};
  }

  #isYoung(name: BudgetName, micros: number | undefined): boolean {
    return micros !== undefined && micros >= this.#since(name) * 1000;
  }

  /** A file that the reader finds damaged is set aside by the thread that writes; then it is read again without the file. */
  async #reading<T>(action: (reader: RecordReader) => Promise<T>): Promise<T> {
    const checked = new Set<string>();
    for (;;)
      try {
        return await action(await this.#read());
      } catch (error) {
        if (!(error instanceof DamagedFileError) || checked.has(error.file)) throw error;
        checked.add(error.file);
        await this.#ask('check', {file: error.file});
        this.#reader?.dropped([error.file]);
      }
  }

  async #read(): Promise<RecordReader> {
    await this.start();
    if (this.#reader === undefined || this.#isClosed) throw this.#closed();
    return this.#reader;
  }

  #changed(sequence: number): void {
    this.#sequence = Math.max(this.#sequence, sequence);
    for (const listener of [...this.#listeners]) listener();
  }

  async #ask<N extends RequestName>(name: N, args: Requests[N]['args']): Promise<Requests[N]['answer']> {
    await this.start();
    if (this.#thread === undefined || this.#isClosed) throw this.#closed();
    return this.#thread.send(name, args);
  }

  #takeDropped({file, partitionClass, why, counts, error}: DroppedReport['dropped']): void {
    const {log} = this.#options;
    this.#mayMiss = true;
    this.#reader?.dropped([file]);
    const count = counts.reduce((sum, of) => sum + of.count, 0);
    if (why === 'lost') log.error({file, lost: count, error}, LOST[error ?? ''] ?? 'damaged record file set aside');
    else log.info({file, records: count}, `record file ${why === 'evicted' ? 'evicted' : 'expired'}`);
    this.#addDropped({evicted: {}, expired: {}, lost: {}, [why]: {[partitionClass]: count}});
    if (why === 'evicted' && partitionClass !== 'EVIDENCE')
      for (const of of counts) this.#recent.add(of.endpoint, partitionClass, of.count);
  }

  #addDropped(sums: DroppedSums): void {
    for (const why of WHYS) for (const name of RECORD_CLASSES) this.#dropped[why][name] += sums[why][name] ?? 0;
  }
}
