// SPDX-License-Identifier: Apache-2.0
/**
 * How late the kernel may wake a process from a timed sleep, so that it can wake for several at once. Children inherit it, over exec too.
 * Ref: prctl(2), PR_SET_TIMERSLACK; proc(5), /proc/PID/timerslack_ns.
 */
import {readFileSync, writeFileSync} from 'node:fs';

const OWN_SLACK = '/proc/self/timerslack_ns';

/**
 * Calls `fork`, which must spawn before it returns, so that the child has this slack; ours is as before when this returns. Where the kernel
 * does not let us (no /proc, not the main thread), the child is spawned with our slack.
 */
export const withTimerSlack = <T>(nanoseconds: number, fork: () => T): T => {
  let before: string;
  try {
    before = readFileSync(OWN_SLACK, 'latin1').trim();
    writeFileSync(OWN_SLACK, String(nanoseconds));
  } catch {
    return fork(); // it only costs processor time
  }
  try {
    return fork();
  } finally {
    try {
      writeFileSync(OWN_SLACK, before);
    } catch {
      // The child runs and must be handed over; all that is lost is the precision of our own timers.
    }
  }
};
