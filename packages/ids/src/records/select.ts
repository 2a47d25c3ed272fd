// SPDX-License-Identifier: Apache-2.0
/** Requests of the record store as predicates and orders over records, in JavaScript: what a driver cannot ask its files for. */
import {
  type AnyRecord,
  compileFilter,
  type EndpointName,
  type ListSchema,
  type Order,
  parseIdsEndpointName,
  parseMicros,
  parseOrderBy,
  type RecordKind,
  type SortKey,
  THREAT_LIST,
  TRAFFIC_LIST,
  WILDCARD,
} from '@palisade/ids-wire';
import type {RecordPosition, RecordSelection, StoredRecord} from './record-store.ts';

export const recordSchema = (kind: RecordKind): ListSchema<AnyRecord> =>
  (kind === 'threats' ? THREAT_LIST : TRAFFIC_LIST) as unknown as ListSchema<AnyRecord>;

/** Whether a name, in which `-` may stand for parts, means an endpoint. */
export const holdsEndpoint = (name: EndpointName, endpoint: string): boolean => {
  const is = parseIdsEndpointName(endpoint);
  const fits = (wanted: string, part: string): boolean => wanted === WILDCARD || wanted === part;
  return (
    is !== undefined &&
    fits(name.project, is.project) &&
    fits(name.location, is.location) &&
    fits(name.endpointId, is.endpointId)
  );
};

export const microsOf = (record: AnyRecord): number => parseMicros(record.event_time) ?? 0;

/** Of the name, the times and the filter; not of the kind. */
export const compileSelection = (selection: RecordSelection): ((stored: StoredRecord) => boolean) => {
  const matches = compileFilter(selection.filter, recordSchema(selection.kind));
  const since = (selection.sinceMs ?? 0) * 1000;
  const until = (selection.untilMs ?? Number.POSITIVE_INFINITY) * 1000;
  return ({endpoint, record}) => {
    const at = microsOf(record);
    return at >= since && at < until && holdsEndpoint(selection.name, endpoint) && matches(record);
  };
};

export const positionOf = ({id, endpoint, record}: StoredRecord, order: Order<AnyRecord>): RecordPosition => ({
  name: `${id} ${endpoint}`,
  key: order.keyOf(record),
});

export const compareKeys =
  (order: Order<AnyRecord>) =>
  (a: {readonly name: string; readonly key: SortKey}, b: {readonly name: string; readonly key: SortKey}): number =>
    order.compare(a.key, b.key) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

export const orderOf = (kind: RecordKind, orderBy: string): Order<AnyRecord> =>
  parseOrderBy(orderBy, recordSchema(kind));
