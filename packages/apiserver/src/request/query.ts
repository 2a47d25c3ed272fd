// SPDX-License-Identifier: Apache-2.0
/** Query strings as Go's net/url reads them: pairs with a broken escape or a semicolon are dropped, the rest counts. */
import {decodePercent} from './percent-encoding.ts';

export class Query {
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values;
  }

  /** The first value, or undefined when the parameter is absent. */
  get(name: string): string | undefined {
    return this.#values.get(name)?.[0];
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  names(): Iterable<string> {
    return this.#values.keys();
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }
}

const EMPTY = new Query(new Map());

/** Undefined when an escape is broken. */
const unescapeQuery = (text: string): string | undefined =>
  decodePercent(text.includes('+') ? text.replaceAll('+', ' ') : text);

export const parseQuery = (raw: string): Query => {
  if (raw === '') return EMPTY;
  const values = new Map<string, string[]>();
  for (const pair of raw.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const at = pair.indexOf('=');
    const name = unescapeQuery(at < 0 ? pair : pair.slice(0, at));
    const value = at < 0 ? '' : unescapeQuery(pair.slice(at + 1));
    if (name === undefined || value === undefined) continue;
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return new Query(values);
};
