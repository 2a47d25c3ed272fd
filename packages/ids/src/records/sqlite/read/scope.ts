// SPDX-License-Identifier: Apache-2.0
/** A selection as the reader works on it: bounds in time, a condition for each class of partitions, and the predicate for what that leaves open. */
import {
  type AnyRecord,
  compileFilter,
  type FilterNode,
  type Predicate,
  parseFilter,
  type RecordKind,
  toSnakeCase,
} from '@palisade/ids-wire';
import type {RecordClass} from '../../evictions.ts';
import {type RecordSelection, RecordStoreError, type StoredRecord} from '../../record-store.ts';
import {holdsEndpoint, recordSchema} from '../../select.ts';
import {type TriageEvents, triageOf} from '../../triage.ts';
import type {OpenPartitions} from './open-partitions.ts';
import type {Content, PartitionFile, PartitionFiles} from './partition-files.ts';
import {both, type Condition} from './where/condition.ts';
import {microsWhere, secondsWhere} from './where/time-where.ts';
import {endpointsIn, type IndexHint, indexHints, whereOf} from './where/where.ts';

/** What every read works with. `turn`: lets others go first when it is time to. */
export type Reading = {
  readonly open: OpenPartitions;
  readonly files: PartitionFiles;
  readonly endpoints: () => ReadonlyMap<number, string>;
  readonly turn: () => Promise<void>;
};

export type Asked = {readonly condition: Condition; readonly hints: readonly IndexHint[]};

export type Scope = {
  readonly kind: RecordKind;
  readonly endpoints: ReadonlyMap<number, string>;
  /** `from` ≤ `at` < `until`. */
  readonly from: number;
  readonly until: number;
  /** Of the endpoints and the filter; not of the times. */
  readonly asked: (recordClass: RecordClass) => Asked;
  /** Of the filter. */
  readonly matches: Predicate<AnyRecord>;
};

export const scopeOf = (reading: Reading, selection: RecordSelection): Scope => {
  const {kind, name, filter, sinceMs = 0, untilMs = Number.MAX_SAFE_INTEGER / 1000} = selection;
  const endpoints = reading.endpoints();
  const {bounds, rest: tree} = splitTimes(parseFilter(filter));
  const numbers = [...endpoints].filter(([, full]) => holdsEndpoint(name, full)).map(([number]) => number);
  const byClass = new Map<RecordClass, Asked>();
  const asked = (recordClass: RecordClass): Asked => {
    const scope = {kind, recordClass, endpoints};
    const known = byClass.get(recordClass) ?? {
      condition: both([endpointsIn(numbers, endpoints.size), whereOf(tree, scope)]),
      hints: indexHints(tree, scope),
    };
    byClass.set(recordClass, known);
    return known;
  };
  return {
    kind,
    endpoints,
    from: Math.max(sinceMs * 1000, bounds.from),
    until: Math.min(untilMs * 1000, bounds.until),
    asked,
    matches: compileFilter(filter, recordSchema(kind)),
  };
};

type Bounds = {readonly from: number; readonly until: number};
const EVER: Bounds = {from: 0, until: Number.MAX_SAFE_INTEGER};

/** What the outermost AND terms say of the time, and what else they say. */
const splitTimes = (tree: FilterNode | undefined): {readonly bounds: Bounds; readonly rest: FilterNode | undefined} => {
  const terms = tree?.node === 'and' ? tree.children : tree === undefined ? [] : [tree];
  const bounds = terms.map(boundsOf);
  const rest = terms.filter((_, i) => bounds[i] === undefined);
  return {
    bounds: bounds
      .filter(known => known !== undefined)
      .reduce((a, b) => ({from: Math.max(a.from, b.from), until: Math.min(a.until, b.until)}), EVER),
    rest: rest.length === 0 ? undefined : {node: 'and', children: rest},
  };
};

/** Undefined: the term says something else. */
const boundsOf = (term: FilterNode): Bounds | undefined => {
  if (term.node !== 'compare') return undefined;
  const field = toSnakeCase(term.path.join('.'));
  const where = {event_time: microsWhere, alert_time: secondsWhere, start_time: secondsWhere}[field];
  const {sql, params} = where?.(term.comparator, term.literal.text) ?? {sql: '', params: []};
  const [first, second] = params.map(Number);
  if (sql === 'r.at >= ?') return {...EVER, from: first ?? 0};
  if (sql === 'r.at < ?') return {...EVER, until: first ?? EVER.until};
  return sql === 'r.at >= ? AND r.at < ?' ? {from: first ?? 0, until: second ?? EVER.until} : undefined;
};

/** Partitions that may have records of the scope, by what their names say. */
export const filesOf = (reading: Reading, scope: Scope): PartitionFile[] =>
  reading.files
    .list(scope.kind)
    .filter(
      ({recordClass, dayStart, dayEnd}) =>
        dayStart < scope.until && dayEnd > scope.from && scope.asked(recordClass).condition.sql !== '0',
    );

/** What the partition has within the times of the scope; undefined: nothing. */
export const contentIn = (reading: Reading, {from, until}: Scope, {file}: PartitionFile): Content | undefined => {
  const content = reading.files.content(file);
  return content === undefined || content.from >= until || content.to < from ? undefined : content;
};

export type RecordRow = {
  readonly number: number;
  readonly endpoint: number;
  readonly id: string;
  readonly at: number;
  readonly body: string;
  readonly triage: string | null;
};

/** Of its text; what it takes in memory is of that order. */
export const bytesOfRow = ({body, triage}: Pick<RecordRow, 'body' | 'triage'>): number =>
  body.length + (triage?.length ?? 0);

/** Throws RecordStoreError `damaged`: SQLite finds no fault in content of a page that is other than it was written. */
export const recordOf = ({id, body, triage}: Pick<RecordRow, 'id' | 'body' | 'triage'>): AnyRecord => {
  try {
    const record = JSON.parse(body) as AnyRecord;
    return triage === null ? record : ({...record, ...triageOf(JSON.parse(triage) as TriageEvents)} as AnyRecord);
  } catch (error) {
    const message = `record ${id} is damaged; stop the server, find its file with "palisade store check" and move the file away, or restore the folder from a backup`;
    throw new RecordStoreError('damaged', message, {cause: error});
  }
};

export const storedOf = (row: RecordRow, endpoints: ReadonlyMap<number, string>): StoredRecord => ({
  endpoint: endpoints.get(row.endpoint) ?? '',
  id: row.id,
  record: recordOf(row),
});

/** The rest of a row; undefined: its partition is gone. */
export const withBody = <R extends Pick<RecordRow, 'number'>>(
  reading: Reading,
  file: string,
  row: R,
): (R & Pick<RecordRow, 'body' | 'triage'>) | undefined => {
  const sql = 'SELECT body, triage FROM bodies WHERE number = ?';
  const rest = reading.open.use(file)?.get<Pick<RecordRow, 'body' | 'triage'>>(sql, [row.number]);
  return rest === undefined ? undefined : {...row, ...rest};
};

/** A record of a page. `bytes`: see bytesOfRow. */
export type Found = {readonly stored: StoredRecord; readonly bytes: number};

export const foundOf = (row: RecordRow, endpoints: ReadonlyMap<number, string>): Found => ({
  stored: storedOf(row, endpoints),
  bytes: bytesOfRow(row),
});

/** Those of the first that a page has room for: at least one. */
export const withinBytes = (found: readonly Found[], bytesMax: number): readonly Found[] => {
  let bytes = 0;
  const end = found.findIndex((one, i) => {
    bytes += one.bytes;
    return i > 0 && bytes > bytesMax;
  });
  return end < 0 ? found : found.slice(0, end);
};

export const sumOfBytes = (found: readonly Found[]): number => found.reduce((sum, {bytes}) => sum + bytes, 0);
