// SPDX-License-Identifier: Apache-2.0
/** Answers without what no two servers have in common: uids and versions become the order in which they came, times a letter. */
type Json = null | boolean | number | string | Json[] | {[key: string]: Json};

const UID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;
const MANAGERS_IN_TEXT = /(?<=managedFields\\*":\[).*?(?=\]\})/g;
const VERSION_IN_TEXT = /(resourceVersion\\*":\\*")\d+/g;
/** Versions that the steps themselves send. */
const SENT_VERSIONS: ReadonlySet<string> = new Set(['1', '5', '999999999']);

const byText = (a: Json, b: Json): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

export class Comparable {
  readonly #versions = new Map<string, string>();
  readonly #uids = new Map<string, string>();
  readonly #choices = new Map<string, string>();
  readonly #sent: string;
  readonly #chosen: RegExp | undefined;

  /** What matches `chosen` and is not in the text of what was sent was chosen by the server. */
  constructor(sent: string, chosen: RegExp | undefined) {
    this.#sent = sent;
    this.#chosen = chosen;
  }

  of(value: Json, key = ''): Json {
    if (Array.isArray(value)) {
      const all = value.map(each => this.of(each, key));
      // Entries of one second stand in the order of their managers, and causes of conflicts in none.
      return key === 'managedFields' || key === 'causes' ? all.sort(byText) : all;
    }
    if (typeof value === 'string') return key === 'resourceVersion' ? this.#version(value) : this.#text(value);
    if (typeof value === 'number' && this.#chosen !== undefined) {
      const text = this.#choice(String(value));
      return text === String(value) ? value : text;
    }
    if (value === null || typeof value !== 'object') return value;
    const isList = 'items' in value || 'rows' in value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        name,
        isList && name === 'metadata'
          ? listMetadata(each)
          : this.of(name === 'rows' ? ageless(value, each) : each, name),
      ]),
    );
  }

  #version(version: string): string {
    if (SENT_VERSIONS.has(version)) return version;
    const known = this.#versions.get(version) ?? `version ${this.#versions.size}`;
    this.#versions.set(version, known);
    return known;
  }

  #text(text: string): string {
    const uid = (found: string): string => {
      const known = this.#uids.get(found) ?? `uid ${this.#uids.size}`;
      this.#uids.set(found, known);
      return known;
    };
    const without = inOrder(text).replace(UID, uid).replace(TIME, 'T').replace(VERSION_IN_TEXT, '$1N');
    return this.#choice(without.replace(MANAGERS_IN_TEXT, inOrderOfManagers));
  }

  #choice(text: string): string {
    if (this.#chosen === undefined) return text;
    return text.replace(this.#chosen, found => {
      if (this.#sent.includes(found)) return found;
      const known = this.#choices.get(found) ?? `choice ${this.#choices.size}`;
      this.#choices.set(found, known);
      return known;
    });
  }
}

const FAULTS = 'errors:\n';

/** Faults of several fields of an applied object come in the order of a Go map. */
const inOrder = (text: string): string => {
  const at = text.indexOf(FAULTS) + FAULTS.length;
  return at < FAULTS.length ? text : text.slice(0, at) + text.slice(at).split('\n').sort().join('\n');
};

/** In a text that quotes an object: as in `of`, those of one second stand in the order of their managers. */
const inOrderOfManagers = (entries: string): string =>
  entries
    .split(/,(?=\{\\*"manager\\*":)/)
    .sort()
    .join();

/** The version of a list counts the writes of everybody, and so does what its token holds. */
const listMetadata = (metadata: Json): Json => {
  const {resourceVersion: _, continue: token, ...rest} = metadata as {[key: string]: Json};
  return {...rest, ...(token !== undefined && {continue: 'token'})};
};

/** The rows of a Table without their ages. */
const ageless = (table: {[key: string]: Json}, rows: Json): Json => {
  if (!Array.isArray(rows)) return rows;
  const columns = (table['columnDefinitions'] ?? []) as {[key: string]: Json}[];
  const age = columns.findIndex(({name}) => name === 'Age');
  return (rows as {[key: string]: Json}[]).map(row => ({
    ...row,
    cells: (row['cells'] as Json[]).filter((_, index) => index !== age),
  }));
};
