// SPDX-License-Identifier: Apache-2.0
/** What was written, or changed, after a sequence number. Partitions without anything newer are not opened. */
import type {RecordKind} from '@palisade/ids-wire';
import type {ChangesPage, ChangesRequest, StoredRecord} from '../../record-store.ts';
import {holdsEndpoint} from '../../select.ts';
import type {PartitionFile} from './partition-files.ts';
import {filesOf, type Reading, type RecordRow, recordOf, type Scope, scopeOf, storedOf} from './scope.ts';
import {endpointsIn} from './where/where.ts';

type ChangedRow = RecordRow & {readonly sequence: number};

/** `until`: the last sequence number that all partitions have. */
export const readChanges = async (
  reading: Reading,
  request: ChangesRequest & {readonly until: number},
): Promise<Omit<ChangesPage, 'missed'>> => {
  const {after, limit, updates, until} = request;
  const scope = scopeOf(reading, {...request, filter: ''});
  const {matches} = scopeOf(reading, request);
  const files = filesOf(reading, scope).filter(({file}) => {
    const content = reading.files.content(file);
    return content !== undefined && (updates ? content.changed : content.written) > after;
  });
  const sequences: number[] = [];
  for (const file of files) sequences.push(...sequencesIn(reading, scope, file, request, until));
  sequences.sort((a, b) => a - b);
  const isWhole = sequences.length <= limit;
  const lastAt = isWhole ? Math.max(until, after) : (sequences[limit - 1] ?? until);
  const beyond = {...request, after: lastAt, limit: 0};
  const isLast = isWhole || !files.some(file => sequencesIn(reading, scope, file, beyond, until).length > 0);
  const rows: ChangedRow[] = [];
  for (const file of files) {
    await reading.turn();
    rows.push(...rowsIn(reading, scope, file, request, lastAt));
  }
  rows.sort((a, b) => a.sequence - b.sequence || (a.id < b.id ? -1 : a.id > b.id ? 1 : a.endpoint - b.endpoint));
  const records: StoredRecord[] = [];
  for (const row of rows) if (matches(recordOf(row))) records.push(storedOf(row, scope.endpoints));
  return {records, sequence: lastAt, isLast};
};

const among = (scope: Scope, {name}: ChangesRequest): string => {
  const numbers = [...scope.endpoints].filter(([, full]) => holdsEndpoint(name, full)).map(([number]) => number);
  return endpointsIn(numbers, scope.endpoints.size).sql;
};

/** Two parts, each by an index: what is new, and what is not new but changed. */
const parts = (scope: Scope, request: ChangesRequest, columns: (sequence: string) => string): string => {
  const endpoints = among(scope, request);
  const written = `SELECT ${columns(request.updates ? 'r.changed' : 'r.written')} FROM records r INDEXED BY records_written`;
  const changed = `SELECT ${columns('r.changed')} FROM records r INDEXED BY records_changed`;
  const isNew = `r.written > ? AND r.written <= ? AND ${endpoints}`;
  if (!request.updates) return `${written} WHERE ${isNew}`;
  return `${written} WHERE r.changed = r.written AND ${isNew}
    UNION ALL ${changed} WHERE r.changed > r.written AND r.changed > ? AND r.changed <= ? AND ${endpoints}`;
};

const range = ({after, updates}: ChangesRequest, until: number): number[] =>
  updates ? [after, until, after, until] : [after, until];

const sequencesIn = (
  reading: Reading,
  scope: Scope,
  {file}: PartitionFile,
  request: ChangesRequest,
  until: number,
): number[] =>
  (
    reading.open
      .use(file)
      ?.all<{sequence: number}>(
        `SELECT sequence FROM (${parts(scope, request, sequence => `${sequence} AS sequence`)}) ORDER BY sequence LIMIT ?`,
        [...range(request, until), request.limit + 1],
      ) ?? []
  ).map(({sequence}) => sequence);

const rowsIn = (
  reading: Reading,
  scope: Scope,
  {file}: PartitionFile,
  request: ChangesRequest,
  until: number,
): ChangedRow[] =>
  reading.open.use(file)?.all<ChangedRow>(
    `SELECT p.*, b.body, b.triage FROM (${parts(scope, request, sequence => `r.number, r.endpoint, r.id, r.at, ${sequence} AS sequence`)}) p
     CROSS JOIN bodies b ON b.number = p.number`,
    range(request, until),
  ) ?? [];

/** Records that were first written after a sequence number. */
export const countWritten = async (reading: Reading, kind: RecordKind, after: number): Promise<number> => {
  let count = 0;
  for (const {file} of reading.files.list(kind)) {
    const content = reading.files.content(file);
    if (content === undefined || content.written <= after) continue;
    const sql = 'SELECT count(*) AS count FROM records INDEXED BY records_written WHERE written > ?';
    count += reading.open.use(file)?.get<{count: number}>(sql, [after])?.count ?? 0;
    await reading.turn();
  }
  return count;
};
