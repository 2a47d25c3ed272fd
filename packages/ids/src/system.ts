// SPDX-License-Identifier: Apache-2.0
/** Time, randomness, timers and log as this package takes them; made once in the composition root. */

export interface Clock {
  /** Milliseconds since the epoch; may jump. */
  now(): number;
}

export interface Random {
  bytes(count: number): Uint8Array;
}

export type Timer = {cancel(): void};
export interface Timers {
  /** Calls once, after at least `delayMs`. */
  after(delayMs: number, action: () => void): Timer;
}

type LogLine = (fields: object, message: string) => void;
/** A subset of pino's logger. */
export type Log = {readonly debug: LogLine; readonly info: LogLine; readonly warn: LogLine; readonly error: LogLine};

/** Resolves after `delayMs`, or at once when `signal` aborts. */
export const delay = (timers: Timers, delayMs: number, signal?: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal?.aborted === true) return resolve();
    const timer = timers.after(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    const onAbort = (): void => {
      timer.cancel();
      resolve();
    };
    signal?.addEventListener('abort', onAbort, {once: true});
  });

/** What `promise` gives, or undefined as soon as `signal` aborts. A signal that lives on keeps nothing of it, as a race with it would. */
export const unlessAborted = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    const onAbort = (): void => resolve(undefined);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, {once: true});
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });

/** The words of an unknown thrown thing. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
