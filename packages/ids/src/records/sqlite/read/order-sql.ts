// SPDX-License-Identifier: Apache-2.0
/** Orders over columns: SQLite sorts, and keeps the first rows only. */
import type {SQLInputValue} from 'node:sqlite';
import {ipRanges, parseIp, parseIpBlock, toSnakeCase} from '@palisade/ids-wire';
import type {RecordPosition} from '../../record-store.ts';
import type {PartitionFile} from './partition-files.ts';
import {timeCondition} from './rows.ts';
import type {Reading, RecordRow, Scope} from './scope.ts';

/** A value of a sort key as it is in the columns: one for each expression of a term. */
type Term = {
  readonly sql: readonly string[];
  readonly params: (key: string | number | null) => readonly SQLInputValue[];
};

const column = (sql: string): Term => ({sql: [sql], params: key => [key]});

const V4 = ipRanges(parseIpBlock('0.0.0.0/0') ?? {digits: '00000000', prefix: 0}).map(
  ({low, high}) => `x'${Buffer.from(low).toString('hex')}' AND x'${Buffer.from(high).toString('hex')}'`,
)[0];

/** IPv4 before IPv6, as their sort keys; none first. */
const address = (name: string): Term => ({
  sql: [`CASE WHEN ${name} IS NULL THEN 0 WHEN ${name} BETWEEN ${V4} THEN 4 ELSE 6 END`, `ifnull(${name}, x'')`],
  params: key => {
    if (key === null) return [0, new Uint8Array()];
    const text = String(key).slice(1);
    const isV4 = String(key).startsWith('4');
    const written = isV4 ? `::ffff:${text.slice(0, 4)}:${text.slice(4)}` : (text.match(/.{4}/g) ?? []).join(':');
    return [isV4 ? 4 : 6, parseIp(written)?.bytes ?? new Uint8Array()];
  },
});

/** Keys of times are milliseconds. */
const TERMS: Readonly<Record<string, Term>> = {
  source_ip_address: address('r.source'),
  destination_ip_address: address('r.destination'),
  source_port: column('r.source_port'),
  destination_port: column('r.destination_port'),
  ip_protocol: column('r.protocol'),
  application: column('r.application'),
  threat_id: column('r.threat'),
  repeat_count: column('r.repeat'),
  acknowledged: column('r.acknowledged'),
  escalated: column('r.escalated'),
  event_time: {sql: ['r.at'], params: key => [Math.round(Number(key) * 1000)]},
  alert_time: {sql: ['r.at / 1000000'], params: key => [Math.round(Number(key) / 1000)]},
  start_time: {sql: ['r.at / 1000000'], params: key => [Math.round(Number(key) / 1000)]},
};

export type SqlOrder = {
  readonly orderBy: string;
  /** Of the rows behind the position; `same`: and of those that are equal but for their endpoint. */
  readonly after: {readonly sql: string; readonly same: string; readonly params: readonly SQLInputValue[]};
  /** Of the position. */
  readonly id: string | undefined;
};

/** Undefined: a field of the order has no column. */
export const sqlOrder = (orderBy: string, after: RecordPosition | undefined): SqlOrder | undefined => {
  const parts: {readonly sql: string; readonly isDown: boolean; readonly value: SQLInputValue}[] = [];
  for (const [i, text] of orderBy.split(',').entries()) {
    const [path = '', direction] = text.trim().split(/\s+/);
    const term = TERMS[toSnakeCase(path)];
    if (term === undefined) return undefined;
    const values = after === undefined ? [] : term.params(after.key[i] ?? null);
    parts.push(...term.sql.map((sql, j) => ({sql, isDown: direction === 'desc', value: values[j] ?? null})));
  }
  const by = parts.map(({sql, isDown}) => `${sql}${isDown ? ' DESC' : ''}`);
  const orderOfAll = [...by, 'r.id'].join(', ');
  if (after === undefined) return {orderBy: orderOfAll, after: {sql: '1', same: '1', params: []}, id: undefined};
  const [id = ''] = after.name.split(' ');
  const behind = (last: string): string =>
    parts.reduceRight((rest, {sql, isDown}) => `(${sql} ${isDown ? '<' : '>'} ? OR (${sql} = ? AND ${rest}))`, last);
  const params = [...parts.flatMap(({value}) => [value, value]), id];
  return {orderBy: orderOfAll, after: {sql: behind('r.id > ?'), same: behind('r.id >= ?'), params}, id};
};

type Sorted = {
  readonly content: {readonly from: number; readonly to: number};
  readonly sorted: SqlOrder;
  readonly count: number;
  readonly more: {readonly sql: string; readonly params: readonly SQLInputValue[]} | undefined;
};

/** The first `count` rows of a partition, and those with the same id as one of them or the position: their order is that of the names of endpoints. The loop must not pause. */
export const sortedRows = (
  reading: Reading,
  scope: Scope,
  file: PartitionFile,
  {content, sorted, count, more = {sql: '1', params: []}}: Sorted,
): Iterable<RecordRow> => {
  const partition = reading.open.use(file.file);
  if (partition === undefined) return [];
  const {condition} = scope.asked(file.recordClass);
  const times = timeCondition(scope, content);
  const where = (after: string): string => `(${condition.sql}) AND ${more.sql} AND ${after}${times.sql}`;
  const params = [...condition.params, ...more.params, ...sorted.after.params, ...times.params];
  const first = partition.all<{id: string}>(
    `SELECT r.id FROM records r WHERE ${where(sorted.after.sql)} ORDER BY ${sorted.orderBy} LIMIT ?`,
    [...params, count],
  );
  const ids = [...new Set([...first.map(({id}) => id), ...(sorted.id === undefined ? [] : [sorted.id])])];
  if (ids.length === 0) return [];
  return partition.each<RecordRow>(
    `SELECT r.number, r.endpoint, r.id, r.at, b.body, b.triage
     FROM json_each(?) ids CROSS JOIN records r INDEXED BY records_id ON r.id = ids.value CROSS JOIN bodies b ON b.number = r.number
     WHERE ${where(sorted.after.same)}`,
    [JSON.stringify(ids), ...params],
  );
};
