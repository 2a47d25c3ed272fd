// SPDX-License-Identifier: Apache-2.0
/** A chart in words: for readers who do not see it, its axes and its legend. */
import {absoluteText, minuteText} from '../data/time-text.ts';

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
    const text = rangeText(values, format);
    if (text === undefined) return `${name}: no data`;
    return `${name}: ${text}, last ${format(values.findLast(value => value !== null) as number)}`;
  });
  return `${label} from ${absoluteText(first)} to ${absoluteText(last)}. ${parts.join('; ')}`;
}

/** `0 to 12`; undefined: nothing is known. */
export function rangeText(
  values: readonly (number | null | undefined)[],
  format: (value: number) => string,
): string | undefined {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) if (value != null) [low, high] = [Math.min(low, value), Math.max(high, value)];
  return low > high ? undefined : `${format(low)} to ${format(high)}`;
}

/** `11-28 10:00 to 11:00`, with the second day where it is another one. */
export function spanText(from: number, to: number): string {
  const day = (at: number): string => absoluteText(at).slice('2026-'.length, '2026-11-28'.length);
  return `${day(from)} ${minuteText(from)} to ${day(from) === day(to) ? '' : `${day(to)} `}${minuteText(to)}`;
}

/** Steps of the axis of counts: half an alert does not exist, and each is short as 12k. */
export const WHOLE_STEPS: readonly number[] = Array.from({length: 12}, (_, zeros) =>
  [1, 2, 5].map(digit => digit * 10 ** zeros),
).flat();

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
