// SPDX-License-Identifier: Apache-2.0
/**
 * How much one step of a long task does, so that a write behind it waits no longer than `stepMs`. A step works, then commits
 * and moves the log into the file, which takes its own time: by the disk, and by how many pages the work has changed. So the
 * work of the next step gets the share of the time that it had in this one.
 */
import type {Step} from '../../../log/driver.ts';

/** Work of a step at least, in milliseconds: on a slow disk the task still ends. */
const WORK_MS_MIN = 0.5;

export class StepPace {
  readonly #stepMs: number;
  readonly #now: () => number;
  #workMs: number;

  /** `now`: milliseconds since some moment; never jumps. */
  constructor(stepMs: number, now: () => number) {
    this.#stepMs = stepMs;
    this.#now = now;
    this.#workMs = this.#clamp(stepMs / 4); // until the first step has shown what a commit takes
  }

  /** `task` ends its work when `isOver` says so, then commits; it returns whether there is more. */
  step(task: (isOver: () => boolean) => boolean): Step {
    const began = this.#now();
    let workedMs = 0;
    const more = task(() => {
      workedMs = this.#now() - began;
      return workedMs >= this.#workMs;
    });
    const ms = this.#now() - began;
    if (ms > 0) this.#workMs = this.#clamp((this.#stepMs * workedMs) / ms);
    return {more, ms};
  }

  #clamp(ms: number): number {
    return Math.min(this.#stepMs, Math.max(Math.min(WORK_MS_MIN, this.#stepMs), ms));
  }
}
