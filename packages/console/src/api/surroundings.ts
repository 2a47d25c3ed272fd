// SPDX-License-Identifier: Apache-2.0
/** What live data needs of the browser; tests give their own. */
import type {Clock} from '@palisade/client/browser';
import {wallClock} from '../clock.ts';

export type Surroundings = {
  readonly clock: Clock;
  /** Runs `work` before the next picture is drawn; the result cancels it. */
  readonly onFrame: (work: () => void) => () => void;
  readonly isHidden: () => boolean;
  /** Called when the tab is hidden or shown; the result ends it. */
  readonly onVisibility: (listener: () => void) => () => void;
  /** A stream was ended because nobody is signed in any more: its status of long ago was 200. */
  readonly onSignedOut?: () => void;
};

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const cancel = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', cancel);
      resolve();
    }, ms);
    signal.addEventListener('abort', cancel, {once: true});
  });
}

const browserClock: Clock = {now: wallClock, sleep};

export const browserSurroundings: Surroundings = {
  clock: browserClock,
  onFrame: work => {
    const id = requestAnimationFrame(work);
    return () => cancelAnimationFrame(id);
  },
  isHidden: () => document.visibilityState === 'hidden',
  onVisibility: listener => {
    document.addEventListener('visibilitychange', listener);
    return () => document.removeEventListener('visibilitychange', listener);
  },
};
