// SPDX-License-Identifier: Apache-2.0
/** Time and chance come in as arguments, so tests and simulations own them. Only the composition root uses the real ones. */
import {randomBytes, randomUUID} from 'node:crypto';

export interface Clock {
  /** Milliseconds since the epoch. May jump backwards: no rule may depend on its order. */
  now(): number;
}

export interface Random {
  /** A float in [0, 1). */
  next(): number;
  /** A version 4 UUID. */
  uuid(): string;
  /** For secrets: bytes that nobody can predict. */
  bytes(count: number): Uint8Array;
}

export type Timer = {cancel(): void};

export interface Timers {
  /** Calls once, after at least `delayMs`. */
  after(delayMs: number, action: () => void): Timer;
  /** Calls once, as soon as the work at hand is done. */
  soon(action: () => void): Timer;
}

export const systemClock: Clock = {now: () => Date.now()};

export const systemRandom: Random = {
  next: () => Math.random(),
  uuid: () => randomUUID(),
  bytes: count => randomBytes(count),
};

/** A longer one ends at once in Node. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;

export const systemTimers: Timers = {
  after: (delayMs, action) => {
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number): void => {
      const isLong = leftMs > TIMEOUT_MS_MAX;
      timer = setTimeout(isLong ? () => wait(leftMs - TIMEOUT_MS_MAX) : action, isLong ? TIMEOUT_MS_MAX : leftMs);
      timer.unref();
    };
    wait(delayMs);
    return {cancel: () => clearTimeout(timer)};
  },
  soon: action => {
    const immediate = setImmediate(action);
    return {cancel: () => clearImmediate(immediate)};
  },
};
