// SPDX-License-Identifier: Apache-2.0
/**
 * A filter (AIP-160) → a condition over the rows of one partition. `exact`: the condition says the same as the filter. Otherwise it is what a
 * record needs at least, and the predicate in JavaScript decides over the rest (compileFilter; select.ts).
 *
 * I1: no record that matches is left out by the condition. I2: what an exact condition lets through, matches.
 * `alert_time` and `start_time` are the second of `event_time` (records/list-records.ts).
 */
import {
  type AnyRecord,
  compileFilterNode,
  type FilterNode,
  ipRanges,
  type Literal,
  parseIpBlock,
  type RecordKind,
  toSnakeCase,
} from '@palisade/ids-wire';
import type {RecordClass} from '../../../evictions.ts';
import {recordSchema} from '../../../select.ts';
import {bodyCondition, textCondition} from './body-where.ts';
import {ALL, ANY, atLeast, both, type Condition, either, exactly, NO_ROW, opposite} from './condition.ts';
import {microsWhere, secondsWhere} from './time-where.ts';

/** What is the same for all records of a partition, and who has which number. */
export type WhereScope = {
  readonly kind: RecordKind;
  readonly recordClass: RecordClass;
  /** Full names by their number. */
  readonly endpoints: ReadonlyMap<number, string>;
};

type Comparison = Extract<FilterNode, {node: 'compare'}>;
type Leaf = (node: Comparison, scope: WhereScope) => Condition;

/** `tree`: undefined for an empty filter. Valid. */
export const whereOf = (tree: FilterNode | undefined, scope: WhereScope): Condition => {
  if (tree === undefined) return ALL;
  switch (tree.node) {
    case 'and':
      return both(tree.children.map(child => whereOf(child, scope)));
    case 'or':
      return either(tree.children.map(child => whereOf(child, scope)));
    case 'not':
      return opposite(whereOf(tree.child, scope));
    case 'text':
      return textCondition(tree.literal);
    case 'compare': {
      const field = toSnakeCase(tree.path.join('.'));
      return (COLUMNS[field] ?? ((node: Comparison) => bodyCondition(field, node)))(tree, scope);
    }
  }
};

/** Decides by the predicate: for a field with few values that are all known. */
const holdsFor = (node: Comparison, {kind}: WhereScope): ((record: Partial<Record<string, unknown>>) => boolean) => {
  const predicate = compileFilterNode(node, recordSchema(kind));
  return record => predicate(record as unknown as AnyRecord);
};

const endpoint: Leaf = (node, scope) => {
  const holds = holdsFor(node, scope);
  const numbers = [...scope.endpoints].filter(([, name]) => holds({endpoint: name})).map(([number]) => number);
  return endpointsIn(numbers, scope.endpoints.size);
};

/** `all`: how many there are. */
export const endpointsIn = (numbers: readonly number[], all: number): Condition => {
  if (numbers.length === 0) return NO_ROW;
  if (numbers.length === all) return ALL;
  return exactly(numbers.length === 1 ? `r.endpoint = ${numbers[0]}` : `r.endpoint IN (${numbers.join(',')})`);
};

const severity: Leaf = (node, scope) => (holdsFor(node, scope)({alert_severity: scope.recordClass}) ? ALL : NO_ROW);

const flag =
  (column: 'acknowledged' | 'escalated'): Leaf =>
  (node, scope) => {
    const holds = holdsFor(node, scope);
    const [set, unset] = [holds({[column]: true}), holds({})];
    if (set === unset) return set ? ALL : NO_ROW;
    return exactly(`r.${column} = ${set ? 1 : 0}`);
  };

const isPattern = ({segments}: Literal): boolean => segments.length > 1;
const isAnything = ({text, segments}: Literal): boolean => text === '*' && segments.length === 2;

const number =
  (column: string): Leaf =>
  ({comparator, literal}) => {
    if (isAnything(literal)) return ANY;
    return exactly(`r.${column} ${comparator === ':' ? '=' : comparator} ?`, Number(literal.text));
  };

const address =
  (column: 'source' | 'destination'): Leaf =>
  ({comparator, literal}) => {
    const block = parseIpBlock(literal.text);
    if (block === undefined) return ANY; // a pattern, compared with the text
    const ranges = ipRanges(block).map(({low, high}) => exactly(`r.${column} BETWEEN ? AND ?`, low, high));
    return comparator === '!=' ? opposite(either(ranges)) : either(ranges);
  };

/** Characters beyond ASCII change their case, and sort, otherwise in SQLite. */
const ASCII = /^[\x20-\x7e]*$/;

const text =
  (column: string): Leaf =>
  ({comparator, literal}) => {
    const {segments} = literal;
    if (comparator === '=' || comparator === '!=') {
      if (!isPattern(literal)) return exactly(`r.${column} ${comparator} ?`, literal.text);
      const [first = ''] = segments;
      if (comparator === '!=' || first === '' || !ASCII.test(first)) return ANY;
      return atLeast(`substr(r.${column}, 1, ${first.length}) = ?`, first);
    }
    if (comparator === ':') {
      const longest = segments.reduce((a, b) => (b.length > a.length ? b : a)).toLowerCase();
      if (longest === '' || !ASCII.test(longest)) return ANY;
      return atLeast(`instr(lower(r.${column}), ?) > 0 OR length(r.${column}) <> octet_length(r.${column})`, longest);
    }
    return ANY;
  };

const COLUMNS: Readonly<Record<string, Leaf>> = {
  endpoint,
  alert_severity: severity,
  acknowledged: flag('acknowledged'),
  escalated: flag('escalated'),
  source_ip_address: address('source'),
  destination_ip_address: address('destination'),
  source_port: number('source_port'),
  destination_port: number('destination_port'),
  repeat_count: number('repeat'),
  ip_protocol: text('protocol'),
  application: text('application'),
  threat_id: text('threat'),
  event_time: ({comparator, literal}) => (isAnything(literal) ? ANY : microsWhere(comparator, literal.text)),
  alert_time: ({comparator, literal}) => (isAnything(literal) ? ANY : secondsWhere(comparator, literal.text)),
  start_time: ({comparator, literal}) => (isAnything(literal) ? ANY : secondsWhere(comparator, literal.text)),
};

/** A part of a filter that an index answers, and that every match fulfils. */
export type IndexHint = {readonly index: string; readonly condition: Condition};

const INDEXED: Readonly<Record<string, string>> = {
  source_ip_address: 'records_source',
  destination_ip_address: 'records_destination',
  threat_id: 'records_threat',
};

/** One per indexed field that the outermost AND terms compare with a value. */
export const indexHints = (tree: FilterNode | undefined, scope: WhereScope): readonly IndexHint[] => {
  if (tree === undefined) return [];
  if (tree.node === 'and') return tree.children.flatMap(child => indexHints(child, scope));
  if (tree.node !== 'compare' || (tree.comparator !== '=' && tree.comparator !== ':')) return [];
  const index = INDEXED[toSnakeCase(tree.path.join('.'))];
  const condition = whereOf(tree, scope);
  return index === undefined || !condition.exact || condition.sql.includes(' OR ') || condition.params.length === 0
    ? []
    : [{index, condition}];
};
