// SPDX-License-Identifier: Apache-2.0
/** Time, chance and the log come in as arguments. */

export interface Clock {
  /** Milliseconds. */
  now(): number;
}
export interface Timer {
  cancel(): void;
}
export interface Timers {
  /** Calls once, after at least `delayMs`. */
  after(delayMs: number, action: () => void): Timer;
}
export interface Random {
  /** A float in [0, 1). */
  next(): number;
}
type Say = (fields: Record<string, unknown>, message: string) => void;
export type Log = {readonly info: Say; readonly warn: Say; readonly error: Say};
