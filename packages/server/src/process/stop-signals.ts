// SPDX-License-Identifier: Apache-2.0
/** When a signal means stop, and when a further one means at once. */

/**
 * Milliseconds. A signal that comes sooner after the first one is the same word again: `timeout` of GNU sends it to its child and
 * then to the group, shell and kernel both tell of a closed terminal.
 */
export const SAME_WORD_MS = 1000;

export type StopSignals = {
  /** Aborted by the first signal, with its name as the reason. */
  readonly asked: AbortSignal;
  /** SIGTERM, SIGINT: a further one, later than `SAME_WORD_MS` after the first signal, ends the process. */
  stop(name: NodeJS.Signals): void;
  /** SIGHUP of a terminal that is gone: never ends the process at once. */
  hangUp(name: NodeJS.Signals): void;
};

/** `clock` never jumps, in milliseconds; `endNow` ends the process. */
export const stopSignals = (clock: {now(): number}, endNow: () => void): StopSignals => {
  const asking = new AbortController();
  let first = 0;
  const hangUp = (name: NodeJS.Signals): void => {
    if (asking.signal.aborted) return;
    first = clock.now();
    asking.abort(name);
  };
  return {
    asked: asking.signal,
    hangUp,
    stop: name => {
      if (asking.signal.aborted && clock.now() - first >= SAME_WORD_MS) endNow();
      hangUp(name);
    },
  };
};
