// SPDX-License-Identifier: Apache-2.0
/** A histogram of values that are counted elsewhere; the library's own would look at all labels again for every value. */
import type {Buckets} from '@palisade/apiserver';
import {Histogram, type Registry} from 'prom-client';

type Shown = Awaited<ReturnType<Histogram['get']>>;
type Labels = Readonly<Record<string, string>>;
export type CountedSeries = {readonly labels: Labels; readonly values: Buckets};

export type CountedParts<L extends string> = {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly L[];
  readonly bounds: readonly number[];
  readonly registers: Registry[];
  readonly read: () => Iterable<CountedSeries>;
};

/** As Go writes a number in the text format; Prometheus 2 takes another spelling for another bucket. */
const boundText = (bound: number): string => {
  const isSmall = bound !== 0 && bound < 1e-4;
  return isSmall ? bound.toExponential().replace(/-(\d)$/, '-0$1') : String(bound);
};

/** Values that a registry prints: buckets are cumulative. */
const seriesOf = (name: string, {labels, values}: CountedSeries): Shown['values'] => {
  let total = 0;
  const buckets = [...values.bounds.map(boundText), '+Inf'].map((le, i) => {
    total += values.counts[i] ?? 0;
    return {metricName: `${name}_bucket`, labels: {le, ...labels}, value: total};
  });
  return [
    ...buckets,
    {metricName: `${name}_sum`, labels, value: values.sum},
    {metricName: `${name}_count`, labels, value: total},
  ];
};

export class CountedHistogram<L extends string> extends Histogram<L> {
  readonly #parts: CountedParts<L>;

  constructor(parts: CountedParts<L>) {
    const {name, help, labelNames, bounds, registers} = parts;
    super({name, help, labelNames: [...labelNames], buckets: [...bounds], registers});
    this.#parts = parts;
  }

  /** What the registry reads. */
  getForPromString(): Promise<Shown> {
    return this.get() as Promise<Shown>;
  }

  override async get(): ReturnType<Histogram<L>['get']> {
    const {name, help, read} = this.#parts;
    const values = [...read()].flatMap(series => seriesOf(name, series));
    return {name, help, type: 'histogram', aggregator: 'sum', values} as never; // the library declares a number as type, and prints a word
  }
}
