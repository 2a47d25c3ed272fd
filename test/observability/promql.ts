// SPDX-License-Identifier: Apache-2.0
/** Which metrics and labels a PromQL expression names; no more of the language than dashboards and rules here use. */

export type Named = {
  readonly metric: string;
  /** Labels that its selector compares. */
  readonly labels: readonly string[];
};
export type Expression = {
  readonly metrics: readonly Named[];
  /** Labels of `by`, `on`, `without` and `ignoring`. */
  readonly grouped: readonly string[];
};

const WORDS = new Set([
  'by',
  'on',
  'without',
  'ignoring',
  'group_left',
  'group_right',
  'and',
  'or',
  'unless',
  'bool',
  'offset',
]);
const GROUPING = /\b(?:by|on|without|ignoring)\s*\(([^)]*)\)/g;
const SELECTOR = /([a-zA-Z_:][\w:]*)\s*(\(|\{[^}]*\})?/g;

const listed = (text: string): string[] =>
  text
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '');

export const readExpression = (text: string): Expression => {
  const plain = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').replaceAll(/\[[^\]]*\]/g, '');
  const grouped = [...plain.matchAll(GROUPING)].flatMap(([, names = '']) => listed(names));
  const metrics: Named[] = [];
  for (const [, metric = '', after = ''] of plain.replaceAll(GROUPING, ' ').matchAll(SELECTOR)) {
    if (after === '(' || WORDS.has(metric) || metric.startsWith('$')) continue;
    const labels = [...after.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label);
    metrics.push({metric, labels});
  }
  return {metrics, grouped};
};
