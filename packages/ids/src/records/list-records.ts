// SPDX-License-Identifier: Apache-2.0
/** A page of records, or all that match, in time order or in the order asked for. */
import {type AnyRecord, type ListSchema, type RecordKind, THREAT_LIST, TRAFFIC_LIST} from '@palisade/ids-wire';
import {type ListQuery, type ListRequest, parseListRequest} from '../list-page.ts';
import {compareRecords, mergeRecords} from './merge.ts';
import {rankTime} from './record-keys.ts';
import type {RecordScope} from './record-query.ts';
import type {RecordStore, StoredRecord} from './record-store.ts';

export const recordSchema = (kind: RecordKind): ListSchema<AnyRecord> =>
  (kind === 'threats' ? THREAT_LIST : TRAFFIC_LIST) as unknown as ListSchema<AnyRecord>;

export type RecordRequest = ListRequest & {readonly sinceMs: number | undefined; readonly untilMs: number | undefined};

export type RecordPage = {readonly records: readonly StoredRecord[]; readonly nextPageToken: string};

/** Throws INVALID_ARGUMENT for a bad filter, order, size or token. */
export const parseRecordRequest = (kind: RecordKind, name: string, request: RecordRequest): ListQuery<AnyRecord> =>
  parseListRequest(request, recordSchema(kind), [
    kind,
    name,
    String(request.sinceMs ?? ''),
    String(request.untilMs ?? ''),
  ]);

/** Everything of the scope between the times that matches, oldest first. `position`: the name of the last one that was sent. */
export async function* matchingRecords(
  records: RecordStore,
  kind: RecordKind,
  scope: RecordScope,
  options: {
    readonly sinceMs: number | undefined;
    readonly untilMs: number | undefined;
    readonly position: string | undefined;
    readonly matches: (record: AnyRecord) => boolean;
  },
): AsyncGenerator<StoredRecord> {
  const from = options.sinceMs === undefined ? '' : rankTime(options.sinceMs);
  const end = options.untilMs === undefined ? undefined : rankTime(options.untilMs);
  const [rank = '', endpointBefore = ''] = options.position?.split(' ') ?? [];
  const startOf = (endpoint: string): string => {
    if (rank <= from) return from;
    // The record of this rank was sent if it belongs to an endpoint up to the last one; otherwise begin just before it.
    return endpoint <= endpointBefore ? rank : rank.slice(0, -1);
  };
  const endpoints = (await records.endpoints(kind)).filter(scope.holds);
  const lists = endpoints.map(endpoint => records.read(kind, endpoint, startOf(endpoint)));
  const last = {rank, endpoint: endpointBefore};
  for await (const stored of mergeRecords(lists)) {
    if (end !== undefined && stored.rank >= end) return;
    if (rank !== '' && compareRecords(stored, {...stored, ...last}) <= 0) continue;
    if (options.matches(stored.record)) yield stored;
  }
}

export const positionOf = (stored: StoredRecord): string => `${stored.rank} ${stored.endpoint}`;

export const listRecords = async (
  records: RecordStore,
  kind: RecordKind,
  scope: RecordScope,
  request: RecordRequest,
  query: ListQuery<AnyRecord>,
): Promise<RecordPage> => {
  const {sinceMs, untilMs} = request;
  const options = {sinceMs, untilMs, matches: query.matches};
  if (!query.order.isDefault)
    return sortedPage(matchingRecords(records, kind, scope, {...options, position: undefined}), query);
  const found: StoredRecord[] = [];
  for await (const stored of matchingRecords(records, kind, scope, {...options, position: query.position?.name})) {
    const last = found.at(-1);
    if (found.length === query.pageSize && last !== undefined)
      return {records: found, nextPageToken: query.token({name: positionOf(last), key: []})};
    found.push(stored);
  }
  return {records: found, nextPageToken: ''};
};

/** Keeps the best page only, however many records there are. */
const sortedPage = async (all: AsyncGenerator<StoredRecord>, query: ListQuery<AnyRecord>): Promise<RecordPage> => {
  const {order, position, pageSize} = query;
  type Row = {readonly name: string; readonly key: ReturnType<typeof order.keyOf>; readonly stored: StoredRecord};
  const compare = (a: Pick<Row, 'name' | 'key'>, b: Pick<Row, 'name' | 'key'>): number =>
    order.compare(a.key, b.key) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  const keep = pageSize + 1;
  let rows: Row[] = [];
  for await (const stored of all) {
    const row = {stored, name: positionOf(stored), key: order.keyOf(stored.record)};
    if (position !== undefined && compare(row, position) <= 0) continue;
    rows.push(row);
    if (rows.length >= keep * 4) rows = rows.sort(compare).slice(0, keep);
  }
  rows.sort(compare);
  const page = rows.slice(0, pageSize);
  const last = page.at(-1);
  const token = rows.length > pageSize && last !== undefined ? query.token({name: last.name, key: last.key}) : '';
  return {records: page.map(row => row.stored), nextPageToken: token};
};
