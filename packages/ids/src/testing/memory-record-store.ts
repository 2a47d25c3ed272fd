// SPDX-License-Identifier: Apache-2.0
/** A record store in memory, for tests of what reads and writes records: the contract and nothing of speed, space or survival. */

import type {AnyRecord, RecordKind, Severity, ThreatRecord, TrafficRecord} from '@palisade/ids-wire';
import {ipSortKey} from '@palisade/ids-wire';
import {RECORDS_PER_TXN} from '../limits.ts';
import type {Budgets, BudgetUse} from '../records/budgets.ts';
import {addTo, type ClassCounts, classOf, countOf, RECORD_CLASSES, type RecordClass} from '../records/evictions.ts';
import {recordIdOf} from '../records/record-id.ts';
import {NO_RECORDS, type RecordBatch, type RecordCounts, type SensorPosition} from '../records/record-sink.ts';
import {
  type Aggregate,
  type AggregateRequest,
  type ChangesPage,
  type ChangesRequest,
  type CopyToRead,
  type GoneReaders,
  type GroupSum,
  type HistogramBar,
  type PageRequest,
  type ReaderPosition,
  type RecordCursor,
  type RecordGroup,
  type RecordPage,
  type RecordStore,
  RecordStoreError,
  type StoredRecord,
  type TriageChange,
  type TriageSum,
  type TriageTarget,
} from '../records/record-store.ts';
import {compareKeys, compileSelection, holdsEndpoint, microsOf, orderOf, positionOf} from '../records/select.ts';
import {type TriageEvents, triageOf, withChange} from '../records/triage.ts';

type Row = {
  readonly kind: RecordKind;
  readonly endpoint: string;
  readonly id: string;
  written: number;
  changed: number;
  record: AnyRecord;
  triage: TriageEvents;
  readonly evidence: string | undefined;
};

const KINDS: readonly RecordKind[] = ['threats', 'traffic'];

const shown = ({endpoint, id, record, triage}: Row): StoredRecord => ({
  endpoint,
  id,
  record: {...record, ...triageOf(triage)} as AnyRecord,
});

const keyOfGroup = (group: RecordGroup, record: AnyRecord): string => {
  const threat = record as ThreatRecord;
  return {
    threat: threat.threat_id,
    source: record.source_ip_address,
    destination: record.destination_ip_address,
    endpoint: record.endpoint,
    severity: threat.alert_severity,
    application: record.application,
    protocol: record.ip_protocol,
  }[group];
};

export class MemoryRecordStore implements RecordStore {
  readonly batchRecordsMax = RECORDS_PER_TXN;
  readonly #rows = new Map<string, Row>();
  readonly #positions = new Map<string, SensorPosition>();
  readonly #counts = new Map<string, RecordCounts>();
  readonly #readers = new Map<string, string>();
  readonly #goneMs = new Map<string, number>();
  /** Dropped ones. */
  readonly #gone: Pick<Row, 'kind' | 'written'>[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #history: string;
  #sequence = 0;
  #budgets: Budgets | undefined;

  constructor(history = 'memory') {
    this.#history = history;
  }

  start = async (): Promise<void> => undefined;
  close = async (): Promise<void> => undefined;
  load = async (endpoint: string): Promise<SensorPosition | undefined> => this.#positions.get(endpoint);
  forget = async (endpoint: string): Promise<void> => void this.#positions.delete(endpoint);
  has = async (endpoint: string): Promise<boolean> => this.#positions.has(endpoint) || this.#counts.has(endpoint);

  async commit(batch: RecordBatch): Promise<void> {
    const {endpoint, checkpoint, counters, engine, flows} = batch;
    const writes = KINDS.flatMap(kind => batch[kind].map(write => ({kind, ...write})));
    if (writes.length > this.batchRecordsMax)
      throw new RecordStoreError(
        'too-large',
        `a batch of ${writes.length} records; at most ${this.batchRecordsMax} go into one`,
      );
    this.#sequence++;
    for (const {kind, id: event, record, evidence} of writes) {
      const id = recordIdOf(event, record);
      const key = `${kind} ${endpoint} ${id}`;
      const before = this.#rows.get(key);
      if (before !== undefined) Object.assign(before, {record, changed: this.#sequence});
      else {
        const sequence = {written: this.#sequence, changed: this.#sequence};
        this.#rows.set(key, {kind, endpoint, id, ...sequence, record, triage: [], evidence});
        this.#count(endpoint, 'kept', classOf(kind, record), 1);
      }
    }
    this.#positions.set(endpoint, {checkpoint, counters, engine, flows});
    this.#tell();
  }

  /** As retention would do it; `severity` undefined: of every class. */
  drop(endpoint: string, why: 'evicted' | 'expired', matches: (record: AnyRecord) => boolean): void {
    for (const [key, row] of this.#rows) {
      if (row.endpoint !== endpoint || !matches(row.record)) continue;
      this.#rows.delete(key);
      this.#gone.push({kind: row.kind, written: row.written});
      this.#count(endpoint, 'kept', classOf(row.kind, row.record), -1);
      this.#count(endpoint, why, classOf(row.kind, row.record), 1);
    }
  }

  async counts(endpoint: string) {
    const {kept, evicted, expired} = this.#counts.get(endpoint) ?? NO_RECORDS;
    return {
      threats: countOf(kept, 'threats'),
      traffic: countOf(kept, 'traffic'),
      threatsDropped: countOf(evicted, 'threats') + countOf(expired, 'threats'),
      trafficDropped: countOf(evicted, 'traffic') + countOf(expired, 'traffic'),
    };
  }

  async evictions(endpoint: string) {
    const total = this.#counts.get(endpoint)?.evicted ?? {};
    return {total, recent: total, lost: {}};
  }

  dropped() {
    const sum = (why: 'evicted' | 'expired'): Record<RecordClass, number> => {
      const counts = [...this.#counts.values()].map(all => all[why]);
      const of = (name: RecordClass): number => counts.reduce((total, one) => total + (one[name] ?? 0), 0);
      return Object.fromEntries(RECORD_CLASSES.map(name => [name, of(name)])) as Record<RecordClass, number>;
    };
    return {
      evicted: sum('evicted'),
      expired: sum('expired'),
      lost: Object.fromEntries(RECORD_CLASSES.map(name => [name, 0])) as Record<RecordClass, number>,
    };
  }

  async usage() {
    const use = (kind: RecordKind, name: keyof Budgets): BudgetUse => {
      const times = [...this.#rows.values()].filter(row => row.kind === kind).map(row => microsOf(row.record) / 1000);
      const budget = this.#budgets?.[name] ?? {bytes: Number.MAX_SAFE_INTEGER, ageMs: Number.MAX_SAFE_INTEGER};
      return {...budget, usedBytes: times.length, oldestMs: times.length === 0 ? undefined : Math.min(...times)};
    };
    return {
      threats: use('threats', 'threats'),
      traffic: use('traffic', 'traffic'),
      evidence: use('threats', 'evidence'),
    };
  }

  async page(request: PageRequest): Promise<RecordPage> {
    const order = orderOf(request.kind, request.orderBy);
    const matches = compileSelection(request);
    const compare = compareKeys(order);
    const rows = [...this.#rows.values()]
      .filter(row => row.kind === request.kind && row.written <= (request.writtenUntil ?? this.#sequence))
      .map(shown)
      .filter(matches)
      .map(stored => ({stored, ...positionOf(stored, order)}))
      .filter(row => request.after === undefined || compare(row, request.after) > 0)
      .sort(compare);
    const page = rows.slice(0, request.limit);
    const last = page.at(-1);
    const next = rows.length > page.length && last !== undefined ? {name: last.name, key: last.key} : undefined;
    return {records: page.map(({stored}) => stored), next};
  }

  async get(kind: RecordKind, endpoint: string, id: string): Promise<StoredRecord | undefined> {
    const row = this.#rows.get(`${kind} ${endpoint} ${id}`);
    return row === undefined ? undefined : shown(row);
  }

  async evidence(endpoint: string, id: string): Promise<string | undefined> {
    return this.#rows.get(`threats ${endpoint} ${id}`)?.evidence;
  }

  async aggregate(request: AggregateRequest): Promise<Aggregate> {
    const matches = compileSelection(request);
    const found = [...this.#rows.values()]
      .filter(row => row.kind === request.kind)
      .map(shown)
      .filter(matches);
    return aggregateOf(request, found);
  }

  position = async () => ({history: this.#history, sequence: this.#sequence});
  holds = async ({history, sequence}: RecordCursor) => history === this.#history && sequence <= this.#sequence;

  async changes(request: ChangesRequest): Promise<ChangesPage> {
    const at = (row: Row): number => (request.updates ? row.changed : row.written);
    const matches = compileSelection(request);
    const rows = [...this.#rows.values()]
      .filter(row => row.kind === request.kind && at(row) > request.after && holdsEndpoint(request.name, row.endpoint))
      .sort((a, b) => at(a) - at(b) || (a.id < b.id ? -1 : 1));
    const lastAt = rows.length > request.limit ? at(rows[request.limit - 1] as Row) : this.#sequence;
    const given = rows.filter(row => at(row) <= lastAt);
    const isMissed = ({kind, written}: Pick<Row, 'kind' | 'written'>): boolean =>
      kind === request.kind && written > request.after && written <= lastAt;
    return {
      records: given.map(shown).filter(matches),
      sequence: lastAt,
      isLast: given.length === rows.length,
      missed: this.#gone.filter(isMissed).length,
    };
  }

  async backlog(kind: RecordKind, after: number): Promise<number> {
    return [...this.#rows.values()].filter(row => row.kind === kind && row.written > after).length;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async triage(target: TriageTarget, change: TriageChange, onStep?: (step: TriageSum) => void): Promise<TriageSum> {
    const matches =
      'id' in target
        ? (stored: StoredRecord): boolean => stored.id === target.id && stored.endpoint === target.endpoint
        : compileSelection(target);
    const rows = [...this.#rows.values()].filter(row => row.kind === 'threats' && matches(shown(row)));
    const changes = rows.flatMap(row => {
      const triage = withChange(row.triage, change, {isOne: 'id' in target});
      return triage === undefined ? [] : [{row, triage}];
    });
    const sum = {matched: rows.length, changed: changes.length};
    if (sum.changed > 0) this.#sequence++;
    for (const {row, triage} of changes) Object.assign(row, {triage, changed: this.#sequence});
    if (sum.matched > 0) onStep?.(sum);
    if (sum.changed > 0) this.#tell();
    return sum;
  }

  async loadReader(name: string): Promise<ReaderPosition | undefined> {
    const text = this.#readers.get(name);
    return text === undefined ? undefined : JSON.parse(text);
  }

  async saveReader(name: string, position: ReaderPosition): Promise<void> {
    this.#readers.set(name, JSON.stringify(position));
    this.#goneMs.delete(name);
  }

  async forgetReaders(gone: GoneReaders): Promise<readonly string[]> {
    const noted = [...this.#readers.keys()].filter(name => name.startsWith(gone.prefix) && !gone.keep.includes(name));
    const forgotten = noted.filter(name => (this.#goneMs.get(name) ?? gone.nowMs) < gone.nowMs - gone.ageMs);
    for (const name of noted) this.#goneMs.set(name, this.#goneMs.get(name) ?? gone.nowMs);
    for (const name of forgotten) this.#readers.delete(name);
    return forgotten;
  }

  /** It is in no file. */
  async *snapshot(): AsyncGenerator<CopyToRead> {}

  setBudgets(budgets: Budgets): void {
    this.#budgets = budgets;
  }

  tidy = async (): Promise<void> => undefined;

  #count(endpoint: string, why: keyof RecordCounts, recordClass: RecordClass, more: number): void {
    const counts = this.#counts.get(endpoint) ?? NO_RECORDS;
    this.#counts.set(endpoint, {...counts, [why]: addTo(counts[why], recordClass, more)});
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

export const aggregateOf = (request: AggregateRequest, found: readonly StoredRecord[]): Aggregate => {
  const {histogramMs, groupBy} = request;
  const bars = histogramMs === undefined ? undefined : barsOf(request.kind, found, histogramMs);
  const groups = groupBy === undefined ? undefined : groupsOf(request.kind, found, groupBy);
  return {
    total: sumOf(found),
    ...(bars === undefined ? {} : {histogram: bars}),
    ...(groups === undefined
      ? {}
      : {groups: groups.slice(0, request.groupsMax), moreGroups: Math.max(groups.length - request.groupsMax, 0)}),
  };
};

const alertsOf = ({record}: StoredRecord): number => Number(record.repeat_count);
const sumOf = (records: readonly StoredRecord[]) => ({
  records: records.length,
  alerts: records.reduce((sum, stored) => sum + alertsOf(stored), 0),
});

const grouped = <K>(records: readonly StoredRecord[], keyOf: (stored: StoredRecord) => K): [K, StoredRecord[]][] => [
  ...Map.groupBy(records, keyOf),
];

const barsOf = (kind: RecordKind, records: readonly StoredRecord[], widthMs: number): HistogramBar[] =>
  grouped(records, ({record}) => Math.floor(microsOf(record) / 1000 / widthMs) * widthMs)
    .map(([startMs, inBar]) => {
      const classes = inBar.reduce<ClassCounts>(
        (counts, stored) => addTo(counts, classOf(kind, stored.record), alertsOf(stored)),
        {},
      );
      return {startMs, ...sumOf(inBar), classes};
    })
    .sort((a, b) => a.startMs - b.startMs);

/** Addresses in their order. */
const sortKey = (key: string): string => ipSortKey(key) ?? key;

const bytesOf = ({record}: StoredRecord): number => Number((record as TrafficRecord).total_bytes);

const groupsOf = (kind: RecordKind, records: readonly StoredRecord[], groupBy: RecordGroup): GroupSum[] =>
  grouped(records, ({record}) => keyOfGroup(groupBy, record))
    .map(([key, inGroup]): GroupSum => {
      const times = inGroup.map(({record}) => microsOf(record));
      const newest = inGroup.reduce((a, b) => (a.id > b.id ? a : b)).record as ThreatRecord;
      const severities = inGroup.map(({record}) => (record as ThreatRecord).alert_severity);
      const highest = RECORD_CLASSES.findLast(name => severities.includes(name as Severity)) as Severity | undefined;
      return {
        key,
        ...(groupBy === 'threat' ? {name: newest.name} : {}),
        ...(highest === undefined ? {} : {highestSeverity: highest}),
        ...sumOf(inGroup),
        ...(kind === 'traffic' ? {bytes: inGroup.reduce((sum, stored) => sum + bytesOf(stored), 0)} : {}),
        firstMicros: Math.min(...times),
        lastMicros: Math.max(...times),
      };
    })
    .sort((a, b) => b.alerts - a.alerts || (sortKey(a.key) < sortKey(b.key) ? -1 : 1));
