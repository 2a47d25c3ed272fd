// SPDX-License-Identifier: Apache-2.0
/** What the main thread and the thread that checks say to each other. */
import type {ScheduleCounts, ScheduledResult, StartDelays, Watched} from '../schedule/scheduler.ts';

export type ToThread =
  | {readonly watch: readonly Watched[]; readonly forget: readonly number[]}
  /** Checks end at once, and the thread with them. */
  | {readonly stop: true};

/** `agoMs`: from the end of the check until the batch was sent, as clocks of two threads need not agree. */
export type ThreadResult = Omit<ScheduledResult, 'endMs'> & {readonly agoMs: number};

export type ThreadReport = {
  readonly results: readonly ThreadResult[];
  readonly counts: ScheduleCounts;
  /** Since the last report. */
  readonly delays: StartDelays;
};

/** An error that no check took: of a library, as a rule, that met an odd peer. The others continue. */
export type ThreadFault = {readonly fault: string};

export type FromThread = ThreadReport | ThreadFault;

/** `workerData` of the thread. */
export type ThreadStart = {readonly seed: number};
