// SPDX-License-Identifier: Apache-2.0
/** What the engine needs from the process it runs in, as arguments: tests give their own. */
import {randomBytes, randomUUID} from 'node:crypto';
import {hostname, userInfo} from 'node:os';
import {ownMark, type ProcessMark} from './process-mark.ts';

export interface Clock {
  now(): Date;
}

export interface Random {
  bytes(count: number): Buffer;
  uuid(): string;
}

/** The holder of a lock. `mark`: undefined where the system does not report it. */
export type ProcessIdentity = {
  readonly pid: number;
  readonly username: string;
  readonly hostname: string;
  readonly mark: ProcessMark | undefined;
};

export interface Timers {
  /** Calls `task` again and again; keeps no process alive. Returns how to stop it. */
  every(ms: number, task: () => void): () => void;
}

export type System = {
  readonly clock: Clock;
  readonly random: Random;
  readonly timers: Timers;
  readonly identity: ProcessIdentity;
};

/** The real one; made once per command. */
export const realSystem = (): System => ({
  clock: {now: () => new Date()},
  random: {bytes: count => randomBytes(count), uuid: () => randomUUID()},
  timers: {
    every: (ms, task) => {
      const timer = setInterval(task, ms);
      timer.unref();
      return () => clearInterval(timer);
    },
  },
  identity: {pid: process.pid, username: userName(), hostname: hostname(), mark: ownMark()},
});

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? ''); // no entry in the password file: the number says enough
  }
}
