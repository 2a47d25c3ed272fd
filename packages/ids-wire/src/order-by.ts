// SPDX-License-Identifier: Apache-2.0
/** `orderBy`: comma-separated fields, each with an optional `desc`. Ref: AIP-132. */
import {comparableOf, compareValues} from './filter/compile.ts';
import {FilterError} from './filter/filter-error.ts';
import {findField, type ListSchema, noField} from './filter/schema.ts';

export const ORDER_FIELDS_MAX = 10;

/** One value per field of the order; null: the item has none (sorts first). JSON, so that a page token can hold it. */
export type SortKey = readonly (string | number | null)[];

export type Order<T> = {
  /** No order was asked for. */
  readonly isDefault: boolean;
  keyOf(item: T): SortKey;
  /** < 0: `a` comes first. Ties are the caller's to break. */
  compare(a: SortKey, b: SortKey): number;
};

const UNORDERED: Order<unknown> = {isDefault: true, keyOf: () => [], compare: () => 0};

/** Throws FilterError for bad syntax, an unknown field and one that has no order. */
export const parseOrderBy = <T>(text: string, schema: ListSchema<T>): Order<T> => {
  if (text.trim() === '') return UNORDERED;
  const parts = text.split(',');
  if (parts.length > ORDER_FIELDS_MAX) throw new FilterError(`more than ${ORDER_FIELDS_MAX} fields in the order`);
  const terms = parts.map(part => {
    const [path = '', direction = 'asc', ...rest] = part.trim().split(/\s+/);
    if (path === '') throw new FilterError('a field is missing between commas');
    if ((direction !== 'asc' && direction !== 'desc') || rest.length > 0)
      throw new FilterError(`"${part.trim()}" is not a field or a field and "desc"`);
    const found = findField(schema, path.split('.'));
    if (found === undefined) throw new FilterError(noField(schema, path));
    const {field, key} = found;
    if ((field.kind === 'map' && key === undefined) || field.kind === 'list')
      throw new FilterError(`"${path}" holds many values and has no order`);
    return {field, key, sign: direction === 'desc' ? -1 : 1};
  });
  return {
    isDefault: false,
    keyOf: item =>
      terms.map(({field, key}) => {
        const value = field.get(item);
        if (key === undefined) return comparableOf(field, value) ?? null;
        return (value as Readonly<Record<string, string>> | undefined)?.[key] ?? null;
      }),
    compare: (a, b) => {
      for (const [i, {sign}] of terms.entries()) {
        const order = compareNullable(a[i] ?? null, b[i] ?? null);
        if (order !== 0) return order * sign;
      }
      return 0;
    },
  };
};

const compareNullable = (a: string | number | null, b: string | number | null): number => {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
  return compareValues(a, b);
};
