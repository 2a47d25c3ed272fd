// SPDX-License-Identifier: Apache-2.0
/** The time that a page looks at: the last so long, or from one time to another; and bars over it. */
import {formatTimestamp, parseTimestamp} from '@palisade/ids-wire';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const PRESETS = ['15m', '1h', '6h', '24h', '7d', '30d', 'all'] as const;
export type Preset = (typeof PRESETS)[number];
const SPAN_MS: Readonly<Record<Exclude<Preset, 'all'>, number>> = {
  '15m': 15 * MINUTE,
  '1h': HOUR,
  '6h': 6 * HOUR,
  '24h': DAY,
  '7d': 7 * DAY,
  '30d': 30 * DAY,
};
export const PRESET_WORD: Readonly<Record<Preset, string>> = {
  '15m': 'Last 15 minutes',
  '1h': 'Last hour',
  '6h': 'Last 6 hours',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  all: 'All time',
};

export type RangeSearch = {
  readonly range: Preset;
  /** RFC 3339; with either of them `range` does not count. */
  readonly from: string;
  readonly to: string;
};
/** For `since` and `until` of the API. */
export type Bounds = {readonly since: string | undefined; readonly until: string | undefined};

const known = (text: string): string | undefined => (parseTimestamp(text) === undefined ? undefined : text);
export const isAbsolute = ({from, to}: RangeSearch): boolean => (known(from) ?? known(to)) !== undefined;
/** Whether records that come now belong to it. */
export const isOpenEnded = ({to}: RangeSearch, now: number): boolean => (parseTimestamp(to) ?? now) >= now;

export function boundsOf(search: RangeSearch, now: number): Bounds {
  if (isAbsolute(search)) return {since: known(search.from), until: known(search.to)};
  const span = search.range === 'all' ? undefined : SPAN_MS[search.range];
  return {since: span === undefined ? undefined : formatTimestamp(now - span), until: undefined};
}

const WIDTHS: readonly (readonly [text: string, ms: number])[] = [
  ['1s', 1_000],
  ['10s', 10_000],
  ['30s', 30_000],
  ['1m', MINUTE],
  ['5m', 5 * MINUTE],
  ['15m', 15 * MINUTE],
  ['30m', 30 * MINUTE],
  ['1h', HOUR],
  ['3h', 3 * HOUR],
  ['6h', 6 * HOUR],
  ['12h', 12 * HOUR],
  ['1d', DAY],
  ['7d', 7 * DAY],
];
const BARS_MAX = 100;

export type Width = {readonly text: string; readonly ms: number};
/** The narrowest width that makes at most 100 bars; a day where the beginning is not known. */
export function widthFor({since, until}: Bounds, now: number): Width {
  const from = parseTimestamp(since ?? '');
  const span = from === undefined ? undefined : (parseTimestamp(until ?? '') ?? now) - from;
  const fits = span === undefined ? '1d' : (WIDTHS.find(([, ms]) => span / ms <= BARS_MAX)?.[0] ?? '7d');
  return {text: fits, ms: WIDTHS.find(([text]) => text === fits)?.[1] ?? DAY};
}

/**
 * The beginnings of all bars from `since` to `until`, milliseconds since the epoch, and one more, where the last one ends: multiples
 * of the width. Without `since` from the first bar that has records.
 */
export function barTimes({since, until}: Bounds, width: number, first: number | undefined, now: number): number[] {
  const end = parseTimestamp(until ?? '') ?? now;
  const begin = Math.floor((parseTimestamp(since ?? '') ?? first ?? end - width) / width) * width;
  const times: number[] = [];
  for (let time = begin; time < end + width && times.length < 5_000; time += width) times.push(time);
  return times;
}

/** A range that was drawn over a histogram, as the whole bars that it touches; RFC 3339. */
export function wholeBars(from: number, to: number, widthMs: number): readonly [from: string, to: string] {
  const begin = Math.floor(from / widthMs) * widthMs;
  return [formatTimestamp(begin), formatTimestamp(Math.max(begin + widthMs, Math.ceil(to / widthMs) * widthMs))];
}
