// SPDX-License-Identifier: Apache-2.0
/**
 * What results of checks mean for a member at one port. Pure.
 *
 *   Starting  no threshold reached: not ready     Ready     the last `success` checks in a row passed, or fewer than `failure` failed since
 *   Unchecked no check: ready              NotReady  the last `failure` checks in a row failed, or fewer than `success` passed since
 *
 * I1 a state changes only when as many results in a row as its threshold say so; the first result of the other kind starts the
 *    count again. I2 no clock is compared: results count in the order in which they come.
 * Ref: kubernetes v1.36 pkg/kubelet/prober/worker.go doProbe (resultRun).
 */
import type {Thresholds} from './method.ts';

export type PortState = 'Ready' | 'NotReady' | 'Starting' | 'Unchecked';

/** One check that has ended. */
export type KeptResult = {
  readonly atMs: number;
  readonly passed: boolean;
  readonly durationMs: number;
  readonly message: string;
};

export type CheckState = {
  readonly state: PortState;
  /** Of the last change of `state`. */
  readonly sinceMs: number;
  /** How many results in a row were like the newest. 0: none since the start. */
  readonly run: number;
  /** Why the last check failed that did, or ''. */
  readonly lastError: string;
  /** The newest first. */
  readonly results: readonly KeptResult[];
};

export const RESULTS_MAX = 20;
const MESSAGE_MAX = 512;

export const isPassing = (state: PortState): boolean => state === 'Ready' || state === 'Unchecked';

export const newState = (state: PortState, sinceMs: number): CheckState => ({
  state,
  sinceMs,
  run: 0,
  lastError: '',
  results: [],
});

/** Counts begin again, everything else stays. */
export const restarted = (known: CheckState): CheckState => ({...known, run: 0});

/**
 * What a port becomes when its check is added or taken away. One that was ready without a check stays ready until checks fail, so
 * that a check can be added to a group that serves.
 */
export const withCheck = (known: CheckState, isChecked: boolean, nowMs: number): CheckState => {
  if (isChecked === (known.state !== 'Unchecked')) return known;
  return newState(isChecked ? 'Ready' : 'Unchecked', nowMs);
};

export const withResult = (known: CheckState, result: KeptResult, {success, failure}: Thresholds): CheckState => {
  const {passed, atMs} = result;
  const isLike = known.run > 0 && known.results[0]?.passed === passed;
  const run = isLike ? known.run + 1 : 1;
  const reached = run >= (passed ? success : failure);
  const next: PortState = passed ? 'Ready' : 'NotReady';
  const changes = reached && known.state !== next && known.state !== 'Unchecked';
  const message = oneLine(result.message);
  return {
    state: changes ? next : known.state,
    sinceMs: changes ? atMs : known.sinceMs,
    run,
    lastError: passed ? known.lastError : message,
    results: [{...result, message}, ...known.results.slice(0, RESULTS_MAX - 1)],
  };
};

const oneLine = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MESSAGE_MAX ? `${line.slice(0, MESSAGE_MAX - 1)}…` : line;
};
