// SPDX-License-Identifier: Apache-2.0
/** A chart in words, for readers who do not see it. */
import {absoluteText} from '../data/time-text.ts';

export type Series = {
  readonly label: string;
  /** One for each time; null: nothing is known. */
  readonly values: readonly (number | null)[];
  /** Name of a colour token: `--sev-high`. Default: --series-1 and so on. */
  readonly color?: string;
};

export type ChartData = {
  /** Milliseconds since the epoch, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
};

/** `Alerts from 2026-11-28 10:00:00 to …: High, 0 to 12, last 3; …`. */
export function chartText(label: string, {times, series}: ChartData, format: (value: number) => string): string {
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return `${label}: no data`;
  const parts = series.map(({label: name, values}) => {
    const known = values.filter(value => value !== null);
    if (known.length === 0) return `${name}: no data`;
    let [low, high] = [known[0] as number, known[0] as number];
    for (const value of known) [low, high] = [Math.min(low, value), Math.max(high, value)];
    return `${name}: ${format(low)} to ${format(high)}, last ${format(known.at(-1) as number)}`;
  });
  return `${label} from ${absoluteText(first)} to ${absoluteText(last)}. ${parts.join('; ')}`;
}

/** Each series on top of those before it, and what each adds: the first is drawn last. */
export function stack(series: readonly Series[]): Series[] {
  const sums: number[] = [];
  return series.map(one => ({
    ...one,
    values: one.values.map((value, at) => {
      sums[at] = (sums[at] ?? 0) + (value ?? 0);
      return sums[at] as number;
    }),
  }));
}

const DAY_S = 86_400;

/** What an axis writes at a time: the hour, its seconds where they differ, the day at midnight. `stepS`: seconds between two. */
export function tickText(at: number, stepS: number): string {
  const [day = '', time = ''] = absoluteText(at).split(' ');
  if (stepS >= DAY_S || time === '00:00:00') return day.slice('2026-'.length);
  return stepS < 60 ? time : time.slice(0, 'HH:MM'.length);
}
