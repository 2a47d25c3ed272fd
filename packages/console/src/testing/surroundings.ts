// SPDX-License-Identifier: Apache-2.0
/** A browser tab for tests: frames come when they are asked for, pauses end at once, and it is hidden and shown by hand. */
import type {Surroundings} from '../api/surroundings.ts';

export type FakeTab = Surroundings & {
  readonly frame: () => void;
  readonly hide: (hidden: boolean) => void;
  readonly slept: readonly number[];
};

export function fakeTab(): FakeTab {
  const frames = new Set<() => void>();
  const watchers = new Set<() => void>();
  const slept: number[] = [];
  let hidden = false;
  let now = 0;
  return {
    slept,
    clock: {
      now: () => now,
      sleep: async (ms, signal) => {
        signal.throwIfAborted();
        slept.push(ms);
        now += ms;
      },
    },
    onFrame: work => {
      frames.add(work);
      return () => frames.delete(work);
    },
    frame: () => {
      now += 1_000;
      const due = [...frames];
      frames.clear();
      for (const work of due) work();
    },
    isHidden: () => hidden,
    onVisibility: listener => {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
    hide: value => {
      hidden = value;
      for (const listener of [...watchers]) listener();
    },
  };
}

/** Lets all promises that are settled do their work, however many follow from it: a timer comes after the last of them. */
export const settle = (): Promise<void> => new Promise(done => setTimeout(done));
