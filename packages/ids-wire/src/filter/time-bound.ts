// SPDX-License-Identifier: Apache-2.0
import {parseTimestamp} from '../timestamp.ts';
import {type FilterNode, parseFilter} from './parse.ts';

/**
 * The earliest time that can match a filter, read from its outermost `AND` terms on one of `paths` (dotted field names): a reader may
 * begin there. Undefined: no bound is known. Throws FilterError like parseFilter.
 */
export const lowerTimeBound = (text: string, paths: readonly string[]): number | undefined => {
  const tree = parseFilter(text);
  const bounds = conjuncts(tree).flatMap(node => {
    if (node.node !== 'compare' || !paths.includes(node.path.join('.')) || !['>', '>=', '='].includes(node.comparator))
      return [];
    return parseTimestamp(node.literal.text) ?? [];
  });
  return bounds.length === 0 ? undefined : Math.max(...bounds);
};

const conjuncts = (node: FilterNode | undefined): readonly FilterNode[] => {
  if (node === undefined) return [];
  return node.node === 'and' ? node.children.flatMap(conjuncts) : [node];
};
