// SPDX-License-Identifier: Apache-2.0
/** Results of checks in words and as squares, and how often new ones come. */
import type {Square} from '../../../ui/data/squares.tsx';
import {clockText, parseTime} from '../../../ui/data/time-text.ts';
import type {CheckResult, EndpointGroup} from './kinds.ts';
import {periodOf} from './text.ts';

/** `10:02:05 connection refused (1 ms)`. */
const resultText = ({time, milliseconds, message = '', passed}: CheckResult): string => {
  const at = clockText(parseTime(time) ?? 0);
  const result = message === '' ? (passed === true ? 'passed' : 'failed') : message;
  return `${at} ${result}${milliseconds === undefined ? '' : ` (${milliseconds} ms)`}`;
};

/** The oldest first, as Squares wants them. */
export const squaresOf = (results: readonly CheckResult[]): readonly Square[] =>
  results.toReversed().map(result => ({state: result.passed === true ? 'ok' : 'bad', title: resultText(result)}));

const SECOND_MS = 1_000;
const SLOWEST_S = 15;
const FASTEST_S = 2;
/** For a group whose checks are those of its registrations. */
const USUAL_S = 10;

/** Milliseconds between two reads of a group: a watch brings changes of states, but no results. */
export function pollMsOf(group: EndpointGroup | undefined): number {
  const periods = (group?.spec?.ports ?? []).flatMap(port => periodOf(port) ?? []);
  const shortest = periods.length === 0 ? USUAL_S : Math.min(...periods);
  return Math.min(SLOWEST_S, Math.max(FASTEST_S, shortest)) * SECOND_MS;
}
