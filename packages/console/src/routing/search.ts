// SPDX-License-Identifier: Apache-2.0
/** The state of a page as the search part of its address: each page says which fields it has; defaults are left out. */

/** Names and texts as in the address; a name that is repeated has several. */
export type RawSearch = Readonly<Record<string, string | readonly string[] | undefined>>;

export type Field<T> = {
  /** Anything that cannot be read is the default: addresses are typed by people. */
  readonly read: (texts: readonly string[]) => T;
  /** Nothing: the default. */
  readonly write: (value: T) => readonly string[];
};

export const text = (otherwise = ''): Field<string> => ({
  read: ([one]) => one ?? otherwise,
  write: value => (value === otherwise ? [] : [value]),
});

/** `only-failing=1`. */
export const flag = (): Field<boolean> => ({
  read: ([one]) => one === '1' || one === 'true',
  write: value => (value ? ['1'] : []),
});

/** A whole number from `min` to `max`; undefined: none. */
export const whole = (min = 0, max = Number.MAX_SAFE_INTEGER): Field<number | undefined> => ({
  read: ([one]) => {
    const value = /^\d+$/.test(one ?? '') ? Number(one) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  },
  write: value => (value === undefined ? [] : [String(value)]),
});

export const oneOf = <const T extends string>(values: readonly T[], otherwise: T): Field<T> => ({
  read: ([one]) => values.find(value => value === one) ?? otherwise,
  write: value => (value === otherwise ? [] : [value]),
});

/** Several texts, each once: `severity=HIGH&severity=CRITICAL`. */
export const texts = (): Field<readonly string[]> => ({read: all => [...new Set(all)], write: value => [...value]});

export type SearchShape<S> = {readonly [K in keyof S]: Field<S[K]>};

const textsOf = (value: RawSearch[string]): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value;

export function readSearch<S extends object>(shape: SearchShape<S>, raw: RawSearch): S {
  const entries = Object.entries(shape) as [string, Field<unknown>][];
  return Object.fromEntries(entries.map(([name, field]) => [name, field.read(textsOf(raw[name]))])) as S;
}

/** The fields of `values`; others of `raw` stay as they are. */
export function writeSearch<S extends object>(shape: SearchShape<S>, raw: RawSearch, values: Partial<S>): RawSearch {
  const next: Record<string, string | readonly string[] | undefined> = {...raw};
  for (const [name, value] of Object.entries(values)) {
    const written = (shape[name as keyof S] as Field<unknown>).write(value);
    if (written.length === 0) delete next[name];
    else next[name] = written.length === 1 ? written[0] : written;
  }
  return next;
}

export function parseQuery(query: string): Record<string, string | string[]> {
  const raw: Record<string, string | string[]> = {};
  const params = new URLSearchParams(query);
  for (const name of new Set(params.keys())) {
    const all = params.getAll(name);
    raw[name] = all.length === 1 ? (all[0] as string) : all;
  }
  return raw;
}

/** With a leading `?`; '' for nothing. */
export function queryOf(raw: object): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(raw as RawSearch))
    for (const one of textsOf(value)) params.append(name, String(one));
  const query = params.toString();
  return query === '' ? '' : `?${query}`;
}
