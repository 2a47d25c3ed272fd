// SPDX-License-Identifier: Apache-2.0
/**
 * One page of a list: filter, order, position. Items come from an index in name order; without an order the page is cut from the
 * index directly, with one the matching items are sorted. A position is the sort key and name of the last item that was sent, so
 * paging neither repeats nor loses an item when others come and go.
 */
import {
  compileFilter,
  decodePageToken,
  encodePageToken,
  type FieldViolation,
  FilterError,
  type ListSchema,
  type Order,
  type Predicate,
  parseOrderBy,
  type SortKey,
} from '@palisade/ids-wire';
import {PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX} from './limits.ts';
import {invalidArgument} from './rpc-error.ts';

export type ListRequest = {
  /** 0: the server's default. */
  readonly pageSize: number;
  readonly pageToken: string;
  readonly filter: string;
  readonly orderBy: string;
};

export type ListPage<T> = {readonly items: readonly T[]; readonly nextPageToken: string};

type Position = {readonly name: string; readonly key: SortKey};

export type ListQuery<T> = {
  readonly pageSize: number;
  readonly matches: Predicate<T>;
  readonly order: Order<T>;
  readonly position: Position | undefined;
  readonly token: (position: Position) => string;
};

/** Checks everything that a list request may get wrong, at once. `scope` binds the page token: the method and the parent. */
export const parseListRequest = <T>(
  request: ListRequest,
  schema: ListSchema<T>,
  scope: readonly string[],
): ListQuery<T> => {
  const violations: FieldViolation[] = [];
  const attempt = <R>(field: string, parse: () => R): R | undefined => {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      violations.push({field, description: error.message});
      return undefined;
    }
  };
  if (!Number.isInteger(request.pageSize) || request.pageSize < 0)
    violations.push({field: 'pageSize', description: 'must be a whole number, 0 or more'});
  const matches = attempt('filter', () => compileFilter(request.filter, schema));
  const order = attempt('orderBy', () => parseOrderBy(request.orderBy, schema));
  const query = [...scope, request.filter, request.orderBy];
  const position = request.pageToken === '' ? undefined : decodePageToken(query, request.pageToken);
  if (request.pageToken !== '' && position === undefined)
    violations.push({
      field: 'pageToken',
      description:
        'is not a valid token for this list; a token is valid only with the parent, filter and order of the request that returned it',
    });
  if (violations.length > 0 || matches === undefined || order === undefined) throw invalidArgument(violations);
  return {
    pageSize: Math.min(request.pageSize === 0 ? PAGE_SIZE_DEFAULT : request.pageSize, PAGE_SIZE_MAX),
    matches,
    order,
    position: position as Position | undefined,
    token: next => encodePageToken(query, next),
  };
};

/** `range` yields items in name order, those after a name. */
export const cutPage = <T>(
  query: ListQuery<T>,
  range: (after: string) => Iterable<T>,
  nameOf: (item: T) => string,
): ListPage<T> => (query.order.isDefault ? cutByName(query, range, nameOf) : cutSorted(query, range, nameOf));

const cutByName = <T>(
  query: ListQuery<T>,
  range: (after: string) => Iterable<T>,
  nameOf: (item: T) => string,
): ListPage<T> => {
  const items: T[] = [];
  for (const item of range(query.position?.name ?? '')) {
    if (!query.matches(item)) continue;
    const last = items.at(-1);
    if (items.length === query.pageSize && last !== undefined)
      return {items, nextPageToken: query.token({name: nameOf(last), key: []})};
    items.push(item);
  }
  return {items, nextPageToken: ''};
};

const cutSorted = <T>(
  query: ListQuery<T>,
  range: (after: string) => Iterable<T>,
  nameOf: (item: T) => string,
): ListPage<T> => {
  const {order, position} = query;
  const compare = (a: Position, b: Position): number =>
    order.compare(a.key, b.key) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  // Only the first rows are wanted: whatever comes after the last of those found so far is not kept.
  const wanted = query.pageSize + 1;
  let rows: (Position & {readonly item: T})[] = [];
  let bound: Position | undefined;
  for (const item of range('')) {
    if (!query.matches(item)) continue;
    const row = {item, name: nameOf(item), key: order.keyOf(item)};
    if (position !== undefined && compare(row, position) <= 0) continue;
    if (bound !== undefined && compare(row, bound) > 0) continue;
    rows.push(row);
    if (rows.length < 2 * wanted) continue;
    rows = rows.sort(compare).slice(0, wanted);
    bound = rows.at(-1);
  }
  rows.sort(compare);
  const page = rows.slice(0, query.pageSize);
  const last = page.at(-1);
  const more = rows.length > page.length && last !== undefined;
  return {
    items: page.map(row => row.item),
    nextPageToken: more ? query.token({name: last.name, key: last.key}) : '',
  };
};
