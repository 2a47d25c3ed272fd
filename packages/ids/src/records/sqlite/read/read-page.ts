// SPDX-License-Identifier: Apache-2.0
/**
 * One page of records. Time order, either way, is read up to the end of the page; an order by severity first takes one class after the
 * other. Every other order looks at all that match and keeps the first `limit`. A page
 * that would be larger than READ_BYTES_MAX ends before.
 */
import {type AnyRecord, type Order, SEVERITIES} from '@palisade/ids-wire';
import {READ_BYTES_MAX} from '../../../limits.ts';
import type {RecordClass} from '../../evictions.ts';
import {timeOfId} from '../../record-id.ts';
import type {PageRequest, RecordPage, RecordPosition} from '../../record-store.ts';
import {compareKeys, orderOf, positionOf} from '../../select.ts';
import {sortedRows, sqlOrder} from './order-sql.ts';
import type {PartitionFile} from './partition-files.ts';
import {type Direction, Rows} from './rows.ts';
import {
  bytesOfRow,
  contentIn,
  type Found,
  filesOf,
  foundOf,
  type Reading,
  type RecordRow,
  recordOf,
  type Scope,
  scopeOf,
  sumOfBytes,
  withBody,
  withinBytes,
} from './scope.ts';
import {TimeWalk} from './time-walk.ts';
import {TopRecords} from './top-records.ts';

type Part = {
  readonly files: readonly PartitionFile[];
  /** In the order of the part. */
  readonly after: RecordPosition | undefined;
  /** One more than the page has, to know whether it is the last. */
  readonly count: number;
  /** That the page has room for; the one with which it is full is still found. */
  readonly bytesMax: number;
};
type Reader = (part: Part) => Promise<readonly Found[]>;

export const readPage = async (reading: Reading, request: PageRequest): Promise<RecordPage> => {
  const scope = scopeOf(reading, request);
  const order = orderOf(request.kind, request.orderBy);
  const [first, ...rest] = request.orderBy.split(',').map(term => term.trim());
  const bySeverity = SEVERITY_TERM.exec(first ?? '');
  const files = filesOf(reading, scope);
  const found =
    bySeverity === null
      ? await readerOf(
          reading,
          scope,
          request,
          request.orderBy,
        )({files, after: request.after, count: request.limit + 1, bytesMax: READ_BYTES_MAX})
      : await classAfterClass(
          files,
          request,
          bySeverity[1] !== undefined,
          readerOf(reading, scope, request, rest.join(',')),
        );
  const records = withinBytes(found.slice(0, request.limit), READ_BYTES_MAX).map(({stored}) => stored);
  const last = records.at(-1);
  return {records, next: found.length > records.length && last !== undefined ? positionOf(last, order) : undefined};
};

const SEVERITY_TERM = /^(?:alert_severity|alertSeverity)(?:\s+(?:asc|(desc)))?$/;

const classAfterClass = async (
  files: readonly PartitionFile[],
  {after, limit}: PageRequest,
  isDown: boolean,
  read: Reader,
): Promise<readonly Found[]> => {
  const wanted = limit + 1;
  const from = after === undefined ? undefined : Number(after.key[0]);
  const ranks = SEVERITIES.map((_, rank) => rank);
  const found: Found[] = [];
  for (const rank of isDown ? ranks.toReversed() : ranks) {
    if (from !== undefined && (isDown ? rank > from : rank < from)) continue;
    const severity = SEVERITIES[rank] as RecordClass;
    const part = {
      files: files.filter(({recordClass}) => recordClass === severity),
      after: after !== undefined && rank === from ? {name: after.name, key: after.key.slice(1)} : undefined,
      count: wanted - found.length,
      bytesMax: READ_BYTES_MAX - sumOfBytes(found),
    };
    found.push(...(await read(part)));
    if (found.length >= wanted || isFull(found, READ_BYTES_MAX)) break;
  }
  return found;
};

/** With one behind what fits, so that it shows that the page is not the last. */
const isFull = (found: readonly Found[], bytesMax: number): boolean => found.length > 1 && sumOfBytes(found) > bytesMax;

const TIME_TERM = /^(event_time|eventTime|alert_time|alertTime|start_time|startTime)(?:\s+(?:asc|(desc)))?$/;
const SECOND_MICROS = 1_000_000;

const readerOf = (reading: Reading, scope: Scope, request: PageRequest, orderBy: string): Reader => {
  const time = TIME_TERM.exec(orderBy.trim());
  if (orderBy.trim() === '') return part => inTime(reading, scope, request, part, 'asc', 1);
  if (time !== null) {
    const isDown = time[2] !== undefined;
    const unit = isDown && !/^event/.test(time[1] ?? '') ? SECOND_MICROS : 1;
    return part => inTime(reading, scope, request, part, isDown ? 'desc' : 'asc', unit);
  }
  const order = orderOf(request.kind, orderBy);
  return part => inOrder(reading, scope, request, part, order, orderBy);
};

const writtenCondition = ({writtenUntil}: PageRequest) =>
  writtenUntil === undefined ? undefined : {sql: 'r.written <= ?', params: [writtenUntil]};

const inTime = async (
  reading: Reading,
  scope: Scope,
  request: PageRequest,
  {files, after, count, bytesMax}: Part,
  direction: Direction,
  unit: number,
): Promise<readonly Found[]> => {
  const at = after === undefined ? undefined : (timeOfId(after.name.slice(0, after.name.indexOf(' '))) ?? 0);
  const group = at === undefined ? undefined : Math.floor(at / unit);
  const bounds =
    group === undefined
      ? scope
      : direction === 'asc'
        ? {...scope, from: Math.max(scope.from, group * unit)}
        : {...scope, until: Math.min(scope.until, (group + 1) * unit)};
  const within = files.filter(({dayStart, dayEnd}) => dayStart < bounds.until && dayEnd > bounds.from);
  const walk = new TimeWalk(reading, bounds, within, {
    direction,
    unit,
    count,
    isWanted: (row, name, isExact) =>
      (after === undefined || Math.floor(row.at / unit) !== group || name > after.name) &&
      (isExact || scope.matches(recordOf(row))),
    more: writtenCondition(request),
  });
  const found: Found[] = [];
  let bytes = 0;
  for (;;) {
    const names = await walk.nextGroup();
    if (names === undefined) return found;
    for (const name of names) {
      const row = withBody(reading, name.file, name);
      if (row === undefined) continue;
      found.push(foundOf(row, scope.endpoints));
      bytes += bytesOfRow(row);
      if (found.length >= count || (found.length > 1 && bytes > bytesMax)) return found;
    }
  }
};

/** Any order. Each partition gives its first `count` where SQL can say the order, else all that it has. */
const inOrder = async (
  reading: Reading,
  scope: Scope,
  request: PageRequest,
  {files, after, count, bytesMax}: Part,
  order: Order<AnyRecord>,
  orderBy: string,
): Promise<readonly Found[]> => {
  const top = new TopRecords({count, bytesMax, compare: compareKeys(order), after});
  const add = (row: RecordRow): void => {
    const found = foundOf(row, scope.endpoints);
    top.add(found, positionOf(found.stored, order));
  };
  const sorted = sqlOrder(orderBy, after);
  for (const file of files) {
    await reading.turn();
    const content = contentIn(reading, scope, file);
    if (content === undefined) continue;
    if (sorted !== undefined && scope.asked(file.recordClass).condition.exact) {
      for (const row of sortedRows(reading, scope, file, {content, sorted, count, more: writtenCondition(request)}))
        add(row);
      continue;
    }
    const rows = new Rows(reading, scope, file, content, {
      order: 'written',
      hasBodies: true,
      more: writtenCondition(request),
    });
    for (let step = rows.next(); step.length > 0; step = rows.next()) {
      for (const row of step) if (rows.isExact || scope.matches(recordOf(row))) add(row);
      await reading.turn();
    }
  }
  return top.found();
};
