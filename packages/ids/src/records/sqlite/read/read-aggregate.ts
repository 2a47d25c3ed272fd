// SPDX-License-Identifier: Apache-2.0
/**
 * Sums of a selection: in all, by time and by group. A partition answers from `minutes` where the filter asks for endpoints and severities only, and
 * the bars are whole minutes; else SQLite scans it (by an index where that leaves few rows); where the condition is not exact, the predicate sees every record that is left.
 */
import {
  formatIp,
  ipSortKey,
  SEVERITIES,
  type Severity,
  type ThreatRecord,
  type TrafficRecord,
} from '@palisade/ids-wire';
import {addTo, type ClassCounts, RECORD_CLASSES, type RecordClass} from '../../evictions.ts';
import type {Aggregate, AggregateRequest, GroupSum, HistogramBar, RecordGroup} from '../../record-store.ts';
import {GroupSums, type KeyedGroup} from './group-sums.ts';
import type {PartitionFile} from './partition-files.ts';
import {Rows, selectiveIndex, timeCondition} from './rows.ts';
import {type Asked, contentIn, filesOf, type Reading, recordOf, type Scope, scopeOf} from './scope.ts';

const MINUTE_MS = 60_000;
const MINUTE_MICROS = MINUTE_MS * 1000;

type Bar = {records: number; alerts: number; classes: ClassCounts};

class Sums {
  readonly total = {records: 0, alerts: 0};
  readonly bars = new Map<number, Bar>();
  readonly groups = new GroupSums();
  readonly widthMs: number | undefined;

  constructor(widthMs: number | undefined) {
    this.widthMs = widthMs;
  }

  /** `bar`: its number, counted from 1970. */
  add(recordClass: RecordClass, bar: number, records: number, alerts: number): void {
    this.total.records += records;
    this.total.alerts += alerts;
    if (this.widthMs === undefined) return;
    const known = this.bars.get(bar) ?? {records: 0, alerts: 0, classes: {}};
    known.records += records;
    known.alerts += alerts;
    known.classes = addTo(known.classes, recordClass, alerts);
    this.bars.set(bar, known);
  }

  histogram(): HistogramBar[] {
    const width = this.widthMs ?? 0;
    return [...this.bars].sort(([a], [b]) => a - b).map(([bar, sums]) => ({startMs: bar * width, ...sums}));
  }
}

type Part = {
  readonly file: PartitionFile;
  readonly content: {readonly from: number; readonly to: number};
  readonly asked: Asked;
};

export const readAggregate = async (reading: Reading, request: AggregateRequest): Promise<Aggregate> => {
  const scope = scopeOf(reading, request);
  const {histogramMs, groupBy, groupsMax} = request;
  const sums = new Sums(histogramMs);
  try {
    for (const file of filesOf(reading, scope)) {
      await reading.turn();
      const content = contentIn(reading, scope, file);
      if (content === undefined) continue;
      const part = {file, content, asked: scope.asked(file.recordClass)};
      if (!part.asked.condition.exact) await addByPredicate(reading, scope, part, sums, groupBy);
      else {
        if (isOfMinutes(part.asked, histogramMs)) addMinutes(reading, scope, part, sums);
        else addScanned(reading, scope, part, sums);
        if (groupBy !== undefined) addGroups(reading, scope, part, sums, groupBy);
      }
    }
    const {groups, more} = sums.groups.top(groupsMax);
    return {
      total: sums.total,
      ...(histogramMs === undefined ? {} : {histogram: sums.histogram()}),
      ...(groupBy === undefined
        ? {}
        : {groups: groups.map(group => toGroup(reading, request, group)), moreGroups: more}),
    };
  } finally {
    sums.groups.close();
  }
};

/** Of endpoints alone: no column but that one. */
const isOfMinutes = ({condition}: Asked, widthMs: number | undefined): boolean =>
  (widthMs ?? MINUTE_MS) % MINUTE_MS === 0 && !/r\.(?!endpoint\b)/.test(condition.sql) && !condition.body;

type SumRow = {readonly bar: number; readonly records: number; readonly alerts: number};

/** Whole minutes from their sums; what is cut off at both ends from the records. */
const addMinutes = (reading: Reading, scope: Scope, part: Part, sums: Sums): void => {
  const {file, content, asked} = part;
  const from = Math.max(scope.from, 0);
  const isWhole = content.from >= from && content.to < scope.until;
  const first = isWhole ? 0 : Math.ceil(from / MINUTE_MICROS);
  const end = isWhole ? Number.MAX_SAFE_INTEGER : Math.max(Math.floor(scope.until / MINUTE_MICROS), first);
  const rows =
    reading.open.use(file.file)?.all<SumRow>(
      `SELECT r.minute * ${MINUTE_MS} / ${sums.widthMs ?? MINUTE_MS} AS bar, sum(r.records) AS records, sum(r.alerts) AS alerts
       FROM minutes r WHERE (${asked.condition.sql}) AND r.minute >= ? AND r.minute < ? GROUP BY 1`,
      [...asked.condition.params, first, end],
    ) ?? [];
  for (const {bar, records, alerts} of rows) if (records > 0) sums.add(file.recordClass, bar, records, alerts);
  if (isWhole) return;
  const edges = [
    {from, until: Math.min(first * MINUTE_MICROS, scope.until)},
    {from: Math.max(end * MINUTE_MICROS, from), until: scope.until},
  ];
  for (const edge of edges) if (edge.from < edge.until) addScanned(reading, {...scope, ...edge}, part, sums);
};

/** `records r` as it is read best. */
const tableOf = (reading: Reading, scope: Scope, {file, content, asked}: Part): string => {
  const partition = reading.open.use(file.file);
  const index = partition === undefined ? undefined : selectiveIndex(partition, asked.hints);
  const isPart = content.from < scope.from || content.to >= scope.until;
  const by = index ?? (isPart ? 'records_at' : undefined);
  return `records r ${by === undefined ? 'NOT INDEXED' : `INDEXED BY ${by}`}`;
};

const addScanned = (reading: Reading, scope: Scope, part: Part, sums: Sums): void => {
  const {file, content, asked} = part;
  const times = timeCondition(scope, content);
  const bar = sums.widthMs === undefined ? '0' : `r.at / ${sums.widthMs * 1000}`;
  const rows =
    reading.open.use(file.file)?.all<SumRow>(
      `SELECT ${bar} AS bar, count(*) AS records, sum(r.repeat) AS alerts FROM ${tableOf(reading, scope, part)}
       WHERE (${asked.condition.sql})${times.sql} GROUP BY 1`,
      [...asked.condition.params, ...times.params],
    ) ?? [];
  for (const row of rows) sums.add(file.recordClass, row.bar, row.records, row.alerts);
};

const KEYS: Readonly<Record<RecordGroup, string>> = {
  threat: 'r.threat',
  source: '+r.source',
  destination: '+r.destination',
  endpoint: 'r.endpoint',
  severity: "''",
  application: 'r.application',
  protocol: 'r.protocol',
};

/** Addresses as they sort (ipSortKey), so that only those that are listed are written out. */
const keyOf = (groupBy: RecordGroup, value: unknown, recordClass: RecordClass, scope: Scope): string => {
  if (groupBy === 'severity') return recordClass;
  if (groupBy === 'endpoint') return scope.endpoints.get(Number(value)) ?? '';
  if (groupBy === 'source' || groupBy === 'destination') return value === null ? '' : addressKey(value as Uint8Array);
  return String(value);
};

const MAPPED_HEX = `${'0'.repeat(20)}ffff`;
const addressKey = ({buffer, byteOffset, byteLength}: Uint8Array): string => {
  const hex = Buffer.from(buffer, byteOffset, byteLength).toString('hex');
  return hex.startsWith(MAPPED_HEX) ? `4${hex.slice(MAPPED_HEX.length)}` : `6${hex}`;
};

const addressOf = (key: string): string => {
  if (key === '') return '';
  return formatIp(Buffer.from(key.startsWith('4') ? `${MAPPED_HEX}${key.slice(1)}` : key.slice(1), 'hex'));
};

type GroupRow = {
  readonly key: unknown;
  readonly records: number;
  readonly alerts: number;
  readonly bytes: number;
  readonly first: number;
  readonly last: number;
};

/** Flows have their bytes in the body; other records have none. */
const BYTES = {
  sql: "sum(CAST(b.body ->> '$.total_bytes' AS INTEGER))",
  join: ' CROSS JOIN bodies b ON b.number = r.number',
};
const NO_BYTES = {sql: '0', join: ''};

const rankOf = (recordClass: RecordClass): number => RECORD_CLASSES.indexOf(recordClass);

const addGroups = (reading: Reading, scope: Scope, part: Part, sums: Sums, groupBy: RecordGroup): void => {
  const {file, content, asked} = part;
  const times = timeCondition(scope, content);
  const bytes = file.recordClass === 'TRAFFIC' ? BYTES : NO_BYTES;
  const rows =
    reading.open.use(file.file)?.each<GroupRow>(
      `SELECT ${KEYS[groupBy]} AS key, count(*) AS records, sum(r.repeat) AS alerts, ${bytes.sql} AS bytes, min(r.at) AS "first", max(r.at) AS "last"
       FROM ${tableOf(reading, scope, part)}${bytes.join} WHERE (${asked.condition.sql})${times.sql} GROUP BY 1`,
      [...asked.condition.params, ...times.params],
    ) ?? [];
  for (const {key, ...row} of rows)
    sums.groups.add(keyOf(groupBy, key, file.recordClass, scope), {
      ...row,
      highest: rankOf(file.recordClass),
      file: file.file,
    });
};

const addByPredicate = async (
  reading: Reading,
  scope: Scope,
  {file, content}: Part,
  sums: Sums,
  groupBy: RecordGroup | undefined,
): Promise<void> => {
  const rows = new Rows(reading, scope, file, content, {order: 'written', hasBodies: true});
  for (let step = rows.next(); step.length > 0; step = rows.next()) {
    for (const row of step) {
      const record = recordOf(row);
      if (!scope.matches(record)) continue;
      const alerts = Number(record.repeat_count);
      const width = sums.widthMs === undefined ? 0 : sums.widthMs * 1000;
      sums.add(file.recordClass, width === 0 ? 0 : Math.floor(row.at / width), 1, alerts);
      if (groupBy === undefined) continue;
      const key = {
        threat: (record as ThreatRecord).threat_id,
        source: ipSortKey(record.source_ip_address) ?? '',
        destination: ipSortKey(record.destination_ip_address) ?? '',
        endpoint: record.endpoint,
        severity: file.recordClass,
        application: record.application,
        protocol: record.ip_protocol,
      }[groupBy];
      const bytes = Number((record as TrafficRecord).total_bytes ?? 0);
      const rank = rankOf(file.recordClass);
      sums.groups.add(key, {records: 1, alerts, bytes, first: row.at, last: row.at, highest: rank, file: file.file});
    }
    await reading.turn();
  }
};

const toGroup = (reading: Reading, {groupBy, kind}: AggregateRequest, group: KeyedGroup): GroupSum => {
  const {key, records, alerts, bytes, first, last, highest} = group;
  const severity = RECORD_CLASSES[highest];
  const isAddress = groupBy === 'source' || groupBy === 'destination';
  return {
    key: isAddress ? addressOf(key) : key,
    ...(groupBy === 'threat' ? {name: nameOf(reading, group)} : {}),
    ...(kind === 'threats' && SEVERITIES.includes(severity as Severity) ? {highestSeverity: severity as Severity} : {}),
    records,
    alerts,
    ...(kind === 'traffic' ? {bytes} : {}),
    firstMicros: first,
    lastMicros: last,
  };
};

/** Of the newest record of a threat. */
const nameOf = (reading: Reading, {key, last, file}: KeyedGroup): string => {
  const row = reading.open.use(file)?.get<{id: string; body: string; triage: null}>(
    `SELECT r.id, b.body, NULL AS triage FROM records r INDEXED BY records_threat CROSS JOIN bodies b ON b.number = r.number
     WHERE r.threat = ? AND r.at = ? ORDER BY r.id DESC LIMIT 1`,
    [key, last],
  );
  return row === undefined ? '' : (recordOf(row) as ThreatRecord).name;
};
