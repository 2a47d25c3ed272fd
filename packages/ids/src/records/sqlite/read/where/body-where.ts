// SPDX-License-Identifier: Apache-2.0
/**
 * What a record needs at least for a comparison of a field that has no column: a piece of text in its body (JSON). So most rows are sorted out
 * without parsing them.
 */
import type {FilterNode, Literal} from '@palisade/ids-wire';
import {ANY, atLeast, type Condition} from './condition.ts';

/** Without what JSON escapes, and what has a case beyond ASCII. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/;

const inBody = (sql: string, needle: string): Condition => ({...atLeast(sql, needle), body: true});

/** Whatever its case. A body with characters beyond ASCII may have some that become ASCII in lower case. */
const hasText = (needle: string, more = ''): Condition => {
  const lower = needle.toLowerCase();
  if (!PLAIN.test(lower)) return ANY;
  return inBody(`instr(lower(b.body), ?) > 0 OR length(b.body) <> octet_length(b.body)${more}`, lower);
};

const longestOf = ({segments}: Literal): string => segments.reduce((a, b) => (b.length > a.length ? b : a));

/** Texts of the body alone; comments are in `triage`. */
const TEXTS: ReadonlySet<string> = new Set([
  'name',
  'type',
  'category',
  'network',
  'session_id',
  'community_id',
  'uri_or_filename',
  'details',
]);
/** Of them, the ones with a piece of text in any element. */
const TEXT_LISTS: ReadonlySet<string> = new Set(['references', 'mitre_tactics', 'mitre_techniques']);

export const bodyCondition = (
  field: string,
  {comparator, literal}: Extract<FilterNode, {node: 'compare'}>,
): Condition => {
  const {text, segments} = literal;
  const longest = longestOf(literal);
  if (TEXT_LISTS.has(field)) return hasText(longest);
  if (field === 'cves')
    return PLAIN.test(longest) ? inBody('instr(b.body, ?) > 0', segments.length === 1 ? `"${text}"` : longest) : ANY;
  if (!TEXTS.has(field) || !PLAIN.test(longest)) return ANY;
  if (comparator === ':') return hasText(longest);
  if (comparator !== '=') return ANY;
  return inBody('instr(b.body, ?) > 0', segments.length === 1 ? `"${field}":"${text}"` : longest);
};

/** A value alone: in any text of the record, comments included. An address may be written otherwise there. */
export const textCondition = (literal: Literal): Condition =>
  /^[0-9a-f.]*:[0-9a-f:.]*$/i.test(literal.text) ? ANY : hasText(longestOf(literal), ' OR b.triage IS NOT NULL');
