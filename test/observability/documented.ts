// SPDX-License-Identifier: Apache-2.0
/** The metrics of docs/reference/metrics.md; test/tidy/metrics.test.ts holds them to those of the registry. */
import {readFileSync} from 'node:fs';

const ROW = /^\| `(\w+)` \| (counter|gauge|histogram) \|([^|]*)\| \S/gm;

export type DocumentedMetric = {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  /** The cell of the labels. */
  readonly labelText: string;
};

export const documentedMetrics = (): readonly DocumentedMetric[] =>
  [...readFileSync('docs/reference/metrics.md', 'utf8').matchAll(ROW)].map(([, name = '', type = '', labels = '']) => ({
    name,
    type,
    labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label),
    labelText: labels.trim(),
  }));

/** Labels of each name that a selector may have: a histogram has three. */
export const seriesLabels = (metrics: readonly DocumentedMetric[]): ReadonlyMap<string, readonly string[]> =>
  new Map(
    metrics.flatMap(({name, type, labels}): [string, readonly string[]][] =>
      type === 'histogram'
        ? [
            [`${name}_bucket`, [...labels, 'le']],
            [`${name}_sum`, labels],
            [`${name}_count`, labels],
          ]
        : [[name, labels]],
    ),
  );
