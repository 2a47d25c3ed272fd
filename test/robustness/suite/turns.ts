// SPDX-License-Identifier: Apache-2.0
/** Lives of all subjects in turn, within a time. */

export type Turns<T> = {
  readonly untilMs: number;
  readonly now: () => number;
  /** One life, which begins no further round with faults after `endMs`, but has one in any case. `turn` counts from 0. */
  readonly live: (subject: T, of: {readonly turn: number; readonly endMs: number}) => Promise<void>;
};

/**
 * Each subject gets its share of the time that is left of a turn: what others leave of theirs is for the subjects after them, and for
 * further turns. The first turn reaches all subjects, however short the time is.
 */
export async function runTurns<T>(subjects: readonly T[], {untilMs, now, live}: Turns<T>): Promise<void> {
  for (let turn = 0; turn === 0 || now() < untilMs; turn++)
    for (const [i, subject] of subjects.entries()) {
      const left = untilMs - now();
      if (turn > 0 && left <= 0) return;
      await live(subject, {turn, endMs: now() + Math.max(0, left) / (subjects.length - i)});
    }
}
