// SPDX-License-Identifier: Apache-2.0
/** What the sensor needs from outside, and the shapes that it shares with its caller. */

export type {CaptureDriver, SensorHealth, SensorSpec, SensorStatus} from '@palisade/ids-wire';

export interface Clock {
  /** Milliseconds since the epoch; may jump. */
  now(): number;
}
export interface Random {
  /** A version 4 UUID. */
  uuid(): string;
}
export type Timer = {cancel(): void};
export interface Timers {
  /** Calls once, after at least `delayMs`. */
  after(delayMs: number, action: () => void): Timer;
}
type LogLine = (fields: object, message: string) => void;
/** A subset of pino's logger. */
export type Log = {readonly debug: LogLine; readonly info: LogLine; readonly warn: LogLine; readonly error: LogLine};
