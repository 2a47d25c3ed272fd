// SPDX-License-Identifier: Apache-2.0
/** Every row of a partition: it can be read, and values that are kept twice agree. */
import type {DatabaseSync} from 'node:sqlite';
import type {AnyRecord} from '@palisade/ids-wire';
import {classOf, kindOfClass, type RecordClass} from '../../evictions.ts';
import {timeOfId} from '../../record-id.ts';
import {type TriageEvents, triageOf} from '../../triage.ts';
import {columnsOf, dayOf} from '../columns.ts';
import type {PartitionName} from '../schema.ts';
import {EMPTY, type Summary} from '../work.ts';
import type {JournalContent, ListedFile} from './check-journal.ts';

export type PartitionContent = {readonly ids: readonly string[]; readonly faults: readonly string[]};

type RecordRow = {
  readonly endpoint: number;
  readonly id: string;
  readonly at: number;
  readonly written: number;
  readonly changed: number;
  readonly repeat: number;
  readonly threat: string;
  readonly acknowledged: number;
  readonly escalated: number;
  readonly body: string | null;
  readonly triage: string | null;
};

const MINUTE_MICROS = 60_000_000;

/** `ids`: `ENDPOINT ID` of each record. */
export const readRecords = (
  database: DatabaseSync,
  {recordClass, day}: PartitionName & {readonly recordClass: RecordClass},
  journal: JournalContent,
  {summary, isWritten}: ListedFile,
): PartitionContent => {
  const faults: string[] = [];
  const ids: string[] = [];
  const minutes = new Map<string, {records: number; alerts: number}>();
  let found: Summary = EMPTY;
  const rows = database.prepare('SELECT * FROM records LEFT JOIN bodies USING (number)');
  for (const row of rows.iterate() as Iterable<RecordRow>) {
    ids.push(`${row.endpoint} ${row.id}`);
    faults.push(...rowFaults(row, recordClass, day, journal).map(text => `record ${row.id}: ${text}`));
    found = withRow(found, row.endpoint, row.at);
    const key = `${row.endpoint} ${Math.floor(row.at / MINUTE_MICROS)}`;
    const sum = minutes.get(key) ?? {records: 0, alerts: 0};
    minutes.set(key, {records: sum.records + 1, alerts: sum.alerts + row.repeat});
  }
  faults.push(...minuteFaults(database, minutes));
  if (!isWritten) faults.push(...summaryFaults(summary, found));
  return {ids, faults};
};

export const readEvidence = (
  database: DatabaseSync,
  {day}: PartitionName,
  {summary, isWritten}: ListedFile,
): PartitionContent => {
  const faults: string[] = [];
  let found: Summary = EMPTY;
  const rows = database.prepare('SELECT * FROM evidence').iterate();
  for (const {endpoint, id, event} of rows as Iterable<{endpoint: number; id: string; event: unknown}>) {
    const at = timeOfId(id);
    if (at === undefined || dayOf(at) !== day) faults.push(`evidence ${id}: it is not of the day of the file`);
    if (typeof event !== 'string') faults.push(`evidence ${id}: it is no text`);
    found = withRow(found, endpoint, at ?? 0);
  }
  if (!isWritten) faults.push(...summaryFaults(summary, found));
  return {ids: [], faults};
};

const rowFaults = (
  row: RecordRow,
  recordClass: RecordClass,
  day: string,
  journal: JournalContent,
): readonly string[] => {
  const faults: string[] = [];
  const {sequence, endpoints} = journal;
  if (!endpoints.has(row.endpoint)) faults.push(`its endpoint ${row.endpoint} is not listed`);
  if (timeOfId(row.id) !== row.at || dayOf(row.at) !== day) faults.push('its time is not that of its id and its file');
  if (row.written < 1 || row.written > row.changed || row.changed > sequence)
    faults.push(`it was written at ${row.written} and changed at ${row.changed}, and the last commit is ${sequence}`);
  if (row.body === null) return [...faults, 'it has no body'];
  try {
    const record = JSON.parse(row.body) as AnyRecord;
    const kind = kindOfClass(recordClass);
    const {repeat, threat} = columnsOf(kind, record);
    if (classOf(kind, record) !== recordClass) faults.push('it is in a file of another class');
    if (repeat !== row.repeat || threat !== row.threat) faults.push('its columns are not those of its body');
    const {acknowledged = false, escalated = false} = triageOf(JSON.parse(row.triage ?? '[]') as TriageEvents);
    if (Number(acknowledged) !== row.acknowledged || Number(escalated) !== row.escalated)
      faults.push('its decisions are not those of its columns');
  } catch (error) {
    faults.push(`it cannot be decoded: ${error instanceof Error ? error.message : String(error)}`);
  }
  return faults;
};

const withRow = ({oldest, newest, counts}: Summary, endpoint: number, at: number): Summary => ({
  oldest: Math.min(oldest ?? at, at),
  newest: Math.max(newest ?? at, at),
  counts: {...counts, [endpoint]: (counts[endpoint] ?? 0) + 1},
});

const minuteFaults = (
  database: DatabaseSync,
  found: ReadonlyMap<string, {readonly records: number; readonly alerts: number}>,
): readonly string[] => {
  const rows = database.prepare('SELECT * FROM minutes').all() as {
    endpoint: number;
    minute: number;
    records: number;
    alerts: number;
  }[];
  const left = new Map(found);
  const faults: string[] = [];
  for (const {endpoint, minute, records, alerts} of rows) {
    const is = left.get(`${endpoint} ${minute}`);
    left.delete(`${endpoint} ${minute}`);
    if (is?.records !== records || is.alerts !== alerts)
      faults.push(
        `minute ${minute} of endpoint ${endpoint}: it sums up ${records} records, and has ${is?.records ?? 0}`,
      );
  }
  if (left.size > 0) faults.push(`${left.size} minutes with records are not summed up`);
  return faults;
};

const summaryFaults = (kept: Summary, found: Summary): readonly string[] => {
  const textOf = ({oldest, newest, counts}: Summary): string =>
    JSON.stringify([
      oldest ?? null,
      newest ?? null,
      Object.entries(counts)
        .filter(([, count]) => count > 0)
        .sort(),
    ]);
  return textOf(kept) === textOf(found) ? [] : ['its records are not those of its summary in the journal'];
};
