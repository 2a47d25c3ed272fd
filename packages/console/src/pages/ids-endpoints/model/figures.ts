// SPDX-License-Identifier: Apache-2.0
/** Packets over time as a chart needs them: one value for each step, null where no sensor ran. */
import {type EndpointFiguresMessage, parseWidth} from '@palisade/ids-wire';

export const RANGES = ['1h', '6h', '24h', '7d'] as const;
export type Range = (typeof RANGES)[number];

export type FigureSeries = {
  /** Milliseconds since the epoch, ascending, a step apart. */
  readonly times: readonly number[];
  readonly packetsPerSecond: readonly (number | null)[];
  readonly bitsPerSecond: readonly (number | null)[];
  /** In percent; null without packets too. */
  readonly lossPercent: readonly (number | null)[];
};

const SECOND_MS = 1_000;
const BITS = 8;
const PERCENT = 100;

/** From `since` to `until` (milliseconds), in the steps of the answer. */
export function toSeries({step, samples}: EndpointFiguresMessage, since: number, until: number): FigureSeries {
  const stepMs = parseWidth(step) ?? 10 * SECOND_MS;
  const seconds = stepMs / SECOND_MS;
  const byTime = new Map(samples.map(sample => [Date.parse(sample.time), sample]));
  const first = Math.ceil(since / stepMs) * stepMs;
  const times: number[] = [];
  // The step that is under way has no sample yet.
  for (let at = first; at + stepMs <= until || byTime.has(at); at += stepMs) times.push(at);
  const values = times.map(at => byTime.get(at));
  return {
    times,
    packetsPerSecond: values.map(one => (one === undefined ? null : one.received / seconds)),
    bitsPerSecond: values.map(one => (one === undefined ? null : (one.bytes * BITS) / seconds)),
    lossPercent: values.map(one =>
      one === undefined ? null : one.received === 0 ? 0 : (one.dropped / one.received) * PERCENT,
    ),
  };
}
