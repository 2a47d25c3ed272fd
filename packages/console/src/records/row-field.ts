// SPDX-License-Identifier: Apache-2.0
import type {Term} from './filter-edit.ts';

/** One value of a row that can be filtered by. */
export type RowField = {readonly title: string; readonly shown: string; readonly term: Term};

export const rowField = (title: string, path: string, value: string, shown = value): RowField => ({
  ...{title, shown},
  term: {path, value},
});

/** The fields of a row by id, as `make` orders them; values that are empty are left out. Each cell asks: made once for each row. */
export function fieldsOfRow<Row extends object, Id extends string>(
  make: (row: Row) => readonly (readonly [Id, RowField])[],
): (row: Row) => ReadonlyMap<Id, RowField> {
  const made = new WeakMap<Row, ReadonlyMap<Id, RowField>>();
  return row => {
    const known = made.get(row);
    if (known !== undefined) return known;
    const fields = new Map(make(row).filter(([, {term}]) => term.value !== undefined && term.value !== ''));
    made.set(row, fields);
    return fields;
  };
}

/** The id of `projects/P/locations/L/endpoints/ID`. */
export const shortEndpoint = (name: string): string => name.split('/')[5] ?? name;
