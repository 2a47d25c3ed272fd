// SPDX-License-Identifier: Apache-2.0
/** Has Suricata read what the kernel put into its packet rings? Its threads show it: they sleep when nothing is left to read. */
import {pause} from '../../pause.ts';
import type {Timers} from '../../ports.ts';
import {threadsThatRead} from './kernel-tables.ts';

/**
 * Longer than a block of a ring stays with the kernel before its reader gets it (10 ms, and a tick of the kernel).
 * Ref: Linux, Documentation/networking/packet_mmap.rst, `tp_retire_blk_tov`; Suricata's `block-timeout`.
 */
const LOOK_MS = 25;
/** One sleep may be a wait for a lock, which Suricata's threads share. */
const SLEEPS = 2;

/**
 * Resolves when each thread of Suricata that reads packets has slept through a whole look, or `SLEEPS` times, since all packets that came
 * before this call were in its reach; after `mostMs` at the latest, or when the process is gone.
 */
export const untilRingIsRead = async (
  pid: number,
  timers: Timers,
  mostMs: number,
  threadsOf: typeof threadsThatRead = threadsThatRead,
): Promise<void> => {
  await pause(timers, LOOK_MS);
  const first = threadsOf(pid);
  let before = first;
  for (let waitedMs = LOOK_MS; waitedMs < mostMs; waitedMs += LOOK_MS) {
    await pause(timers, LOOK_MS);
    const now = threadsOf(pid);
    const isRead = now.every(({id, sleeps, isAsleep}) => {
      const [begun, last] = [first, before].map(threads => threads.find(thread => thread.id === id));
      if (begun === undefined || last === undefined) return false; // a new one
      return sleeps >= begun.sleeps + SLEEPS || (isAsleep && last.isAsleep && sleeps === last.sleeps);
    });
    if (isRead) return;
    before = now;
  }
};
