// SPDX-License-Identifier: Apache-2.0
/** The state of the list of endpoints, as in its address, and the rows that match. */
import {flag, type SearchShape, text, texts, whole} from '../../routing/search.ts';
import {type EndpointsRow, isFailing} from './row.ts';

export type ListSearch = {
  /** What is in the field: part of a name, an address or one of its beginnings, a port as it is shown (`http:8080`), and words that become filters. */
  readonly q: string;
  readonly namespace: string;
  /** `key=value` or `key`; all must hold. */
  readonly label: readonly string[];
  readonly port: number | undefined;
  readonly failing: boolean;
  /** `name`, `-age`. */
  readonly sort: string;
};

export const LIST_SEARCH: SearchShape<ListSearch> = {
  q: text(),
  namespace: text(),
  label: texts(),
  port: whole(1, 65_535),
  failing: flag(),
  sort: text(),
};

const LABEL = /^([\w./-]+)=([\w.-]*)$/;
/** As the column of ports shows one: `http:8080`, `53/udp`; the name of a port alone does not count, as many names of sets have it. */
const PORT_WORD = /[:/]/;
const PORT = /^(?:port)?:(\d{1,5})$/;

const portOf = (word: string): number | undefined => {
  const port = Number(PORT.exec(word)?.[1]);
  return port >= 1 && port <= 65_535 ? port : undefined;
};

const wordsOf = (typed: string): readonly string[] => typed.split(/[\s,]+/).filter(word => word !== '');

/** Words of the field that are filters of their own: `app=web` is a label, `:8080` a port; the rest is searched. */
export function splitWords(typed: string): {
  readonly q: string;
  readonly label: readonly string[];
  readonly ports: readonly number[];
} {
  const words = wordsOf(typed);
  const label = words.filter(word => LABEL.test(word));
  const ports = words.flatMap(word => portOf(word) ?? []);
  const q = words.filter(word => !LABEL.test(word) && portOf(word) === undefined).join(' ');
  return {q, label, ports};
}

/** The search after the user ended words: those that are filters of their own leave the text. undefined: there are none. */
export function endWords(
  typed: string,
  {label, port}: Pick<ListSearch, 'label' | 'port'>,
): Pick<ListSearch, 'q' | 'label' | 'port'> | undefined {
  const found = splitWords(typed);
  if (found.label.length === 0 && found.ports.length === 0) return undefined;
  return {q: found.q, label: [...new Set([...label, ...found.label])], port: found.ports.at(-1) ?? port};
}

/** Rows that match all filters; words that are still typed are judged as the filters that they become. */
export function matching(rows: readonly EndpointsRow[], search: Omit<ListSearch, 'sort'>): readonly EndpointsRow[] {
  const {namespace, failing} = search;
  const {q, label, port} = endWords(search.q, search) ?? search;
  const words = wordsOf(q.toLowerCase());
  const isAll = words.length === 0 && namespace === '' && label.length === 0 && port === undefined && !failing;
  if (isAll) return rows;
  return rows.filter(
    row =>
      (namespace === '' || row.namespace === namespace) &&
      (!failing || isFailing(row)) &&
      (port === undefined || row.portNumbers.includes(port)) &&
      label.every(wanted =>
        row.labels.some(has => has === wanted || (!wanted.includes('=') && has.startsWith(`${wanted}=`))),
      ) &&
      words.every(
        word =>
          row.name.toLowerCase().includes(word) ||
          row.addresses.includes(` ${word}`) ||
          (PORT_WORD.test(word) && row.portWords.includes(` ${word},`)),
      ),
  );
}
