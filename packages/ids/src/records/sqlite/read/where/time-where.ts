// SPDX-License-Identifier: Apache-2.0
/** Comparisons of times as comparisons of `at`, so that they are those of the predicate to the microsecond. */
import {formatMicros, parseTimestamp} from '@palisade/ids-wire';
import {ANY, type Condition, exactly} from './condition.ts';

type Comparator = '=' | '!=' | '<' | '<=' | '>' | '>=' | ':';

/** Holds for `from` ≤ `at` < `to` where equal: the values of `at` that compare as equal. */
const between = (comparator: Comparator, from: number, to: number): Condition => {
  switch (comparator) {
    case '<':
      return exactly('r.at < ?', from);
    case '<=':
      return exactly('r.at < ?', to);
    case '>':
      return exactly('r.at >= ?', to);
    case '>=':
      return exactly('r.at >= ?', from);
    case '!=':
      return exactly('r.at < ? OR r.at >= ?', from, to);
    default:
      return exactly('r.at >= ? AND r.at < ?', from, to);
  }
};

const SECOND_MICROS = 1_000_000;
/** Rounding of a double moves a time by less than that. */
const NEAR_MICROS = 3;

/** The first microsecond whose text compares as `isThere` says; undefined: not near `guess`. */
const firstMicros = (guess: number, isThere: (ms: number) => boolean): number | undefined => {
  let isBefore = false;
  for (let at = guess - NEAR_MICROS; at <= guess + NEAR_MICROS; at++) {
    const ms = parseTimestamp(formatMicros(at));
    if (ms === undefined) return undefined;
    if (isThere(ms)) return isBefore ? at : undefined;
    isBefore = true;
  }
  return undefined;
};

/** Of a time in microseconds. */
export const microsWhere = (comparator: Comparator, text: string): Condition => {
  const wanted = parseTimestamp(text);
  if (wanted === undefined || wanted < 0) return ANY;
  const guess = Math.floor(wanted * 1000);
  const from = firstMicros(guess, ms => ms >= wanted);
  const to = firstMicros(guess, ms => ms > wanted);
  return from === undefined || to === undefined ? ANY : between(comparator, from, to);
};

/** Of the second of `at`. */
export const secondsWhere = (comparator: Comparator, text: string): Condition => {
  const wanted = parseTimestamp(text);
  if (wanted === undefined || wanted < 0) return ANY;
  return between(comparator, Math.ceil(wanted / 1000) * SECOND_MICROS, (Math.floor(wanted / 1000) + 1) * SECOND_MICROS);
};
