// SPDX-License-Identifier: Apache-2.0
/** The state of the list of endpoints, as in its address, and the rows that match. */
import {flag, type SearchShape, text, texts, whole} from '../../routing/search.ts';
import {type EndpointsRow, isFailing} from './row.ts';

export type ListSearch = {
  /** Part of a name, an address or one of its beginnings, or a port as it is shown: `http:8080`. */
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
/** As the column of ports shows one: `http:8080`, `53/udp`; a port's name alone is none, as it is a frequent part of names. */
const PORT_WORD = /[:/]/;
const PORT = /^(?:port)?:(\d{1,5})$/;

/** Words of the field that are filters of their own: `app=web` is a label, `:8080` a port; the rest is searched. */
export function splitWords(typed: string): {
  readonly q: string;
  readonly label: readonly string[];
  readonly port: number | undefined;
} {
  const words = typed.split(/\s+/).filter(word => word !== '');
  const label = words.filter(word => LABEL.test(word));
  const ports = words.flatMap(word => PORT.exec(word)?.[1] ?? []).map(Number);
  const q = words.filter(word => !LABEL.test(word) && !PORT.test(word)).join(' ');
  return {q, label, port: ports.at(-1)};
}

/** Rows that match all filters. */
export function matching(rows: readonly EndpointsRow[], search: Omit<ListSearch, 'sort'>): readonly EndpointsRow[] {
  const {namespace, label, port, failing} = search;
  const words = search.q
    .toLowerCase()
    .split(/\s+/)
    .filter(word => word !== '');
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
