// SPDX-License-Identifier: Apache-2.0
import {stopSignals} from '@palisade/server/stop-signals';
import {monotonicClock} from '@palisade/server/system';

const STOP = ['SIGTERM', 'SIGINT'] as const;

export type StopRequests = {
  /** Aborted by the first signal. */
  readonly stop: AbortSignal;
  /** Aborted by a further one, a second later or more. */
  readonly hurry: AbortSignal;
  readonly release: () => void;
};

/** Signals of this process. A terminal that is gone counts as the first signal. */
export const stopRequests = (): StopRequests => {
  const hurrying = new AbortController();
  const {asked, stop, hangUp} = stopSignals(monotonicClock, () => hurrying.abort());
  for (const signal of STOP) process.on(signal, stop);
  process.on('SIGHUP', hangUp);
  return {
    stop: asked,
    hurry: hurrying.signal,
    release: () => {
      for (const signal of STOP) process.off(signal, stop);
      process.off('SIGHUP', hangUp);
    },
  };
};
