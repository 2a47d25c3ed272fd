// SPDX-License-Identifier: Apache-2.0
/**
 * What was written, or changed, after a sequence number. Partitions without anything newer are not opened. A page ends with the commit before
 * the one that would make it larger than READ_BYTES_MAX; a commit that is larger alone is given in parts, so that it need not fit into memory.
 */
import type {RecordKind} from '@palisade/ids-wire';
import {READ_BYTES_MAX, READ_STEP_BYTES_MAX} from '../../../limits.ts';
import type {ChangesPage, ChangesRequest, StoredRecord} from '../../record-store.ts';
import {holdsEndpoint} from '../../select.ts';
import type {PartitionFile} from './partition-files.ts';
import {
  bytesOfRow,
  filesOf,
  type Reading,
  type RecordRow,
  recordOf,
  type Scope,
  scopeOf,
  storedOf,
  withBody,
} from './scope.ts';
import {endpointsIn} from './where/where.ts';

type Sized = {readonly sequence: number; readonly bytes: number};
type ChangedRow = Pick<RecordRow, 'number' | 'endpoint' | 'id' | 'at'> & {
  readonly sequence: number;
  readonly file: string;
};

/** Takes a part of the records, in their order. */
export type Give = (records: readonly StoredRecord[]) => void;

/** `until`: the last sequence number that all partitions have. */
export const readChanges = async (
  reading: Reading,
  request: ChangesRequest & {readonly until: number},
  give: Give,
): Promise<Omit<ChangesPage, 'missed' | 'records'>> => {
  const {after, limit, updates, until} = request;
  const scope = scopeOf(reading, {...request, filter: ''});
  const files = filesOf(reading, scope).filter(({file}) => {
    const content = reading.files.contentUntil(file, until);
    return content !== undefined && (updates ? content.changed : content.written) > after;
  });
  const sizes: Sized[] = [];
  for (const file of files) {
    await reading.turn();
    sizes.push(...sizesIn(reading, scope, file, request, until));
  }
  sizes.sort((a, b) => a.sequence - b.sequence);
  const end = endOf(sizes, limit);
  const sequence = end ?? Math.max(until, after);
  const beyond = {...request, after: sequence, limit: 0};
  const isLast = end === undefined || !files.some(file => sizesIn(reading, scope, file, beyond, until).length > 0);
  const rows: ChangedRow[] = [];
  for (const file of files) {
    await reading.turn();
    rows.push(...rowsIn(reading, scope, file, request, sequence));
  }
  rows.sort((a, b) => a.sequence - b.sequence || (a.id < b.id ? -1 : a.id > b.id ? 1 : a.endpoint - b.endpoint));
  await giveRows(reading, scope, scopeOf(reading, request), rows, give);
  return {sequence, isLast};
};

/** Of the last commit that the page has room for, at least one; undefined: of all. */
const endOf = (sizes: readonly Sized[], limit: number): number | undefined => {
  let bytes = 0;
  let before: number | undefined;
  for (const [i, {sequence, bytes: more}] of sizes.entries()) {
    bytes += more;
    const last = sizes[i - 1]?.sequence;
    if (last !== undefined && last !== sequence) before = last;
    if (i >= limit) return last;
    if (bytes > READ_BYTES_MAX) return before ?? sequence;
  }
  return undefined;
};

const giveRows = async (
  reading: Reading,
  {endpoints}: Scope,
  {matches}: Scope,
  rows: readonly ChangedRow[],
  give: Give,
): Promise<void> => {
  let part: StoredRecord[] = [];
  let bytes = 0;
  for (const named of rows) {
    await reading.turn();
    const row = withBody(reading, named.file, named);
    if (row === undefined || !matches(recordOf(row))) continue;
    part.push(storedOf(row, endpoints));
    bytes += bytesOfRow(row);
    if (bytes < READ_STEP_BYTES_MAX) continue;
    give(part);
    part = [];
    bytes = 0;
  }
  if (part.length > 0) give(part);
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

/** The first of them, and one more than the limit. */
const sizesIn = (
  reading: Reading,
  scope: Scope,
  {file}: PartitionFile,
  request: ChangesRequest,
  until: number,
): readonly Sized[] =>
  reading.open.use(file)?.all<Sized>(
    `SELECT p.sequence, octet_length(b.body) + ifnull(octet_length(b.triage), 0) AS bytes
     FROM (SELECT number, sequence FROM (${parts(scope, request, sequence => `r.number, ${sequence} AS sequence`)}) ORDER BY sequence LIMIT ?) p
     CROSS JOIN bodies b ON b.number = p.number`,
    [...range(request, until), request.limit + 1],
  ) ?? [];

const rowsIn = (
  reading: Reading,
  scope: Scope,
  {file}: PartitionFile,
  request: ChangesRequest,
  until: number,
): ChangedRow[] => {
  const sql = parts(scope, request, sequence => `r.number, r.endpoint, r.id, r.at, ${sequence} AS sequence`);
  const rows = reading.open.use(file)?.all<Omit<ChangedRow, 'file'>>(sql, range(request, until)) ?? [];
  return rows.map(row => ({...row, file}));
};

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
