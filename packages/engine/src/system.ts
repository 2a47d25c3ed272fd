// SPDX-License-Identifier: Apache-2.0
/** What the engine needs from the process it runs in, as arguments: tests give their own. */
import {randomBytes, randomUUID} from 'node:crypto';
import {hostname, userInfo} from 'node:os';

export interface Clock {
  now(): Date;
}

export interface Random {
  bytes(count: number): Buffer;
  uuid(): string;
}

/** Who holds a lock. */
export type ProcessIdentity = {readonly pid: number; readonly username: string; readonly hostname: string};

export type System = {readonly clock: Clock; readonly random: Random; readonly identity: ProcessIdentity};

/** The real one; made once per command. */
export const realSystem = (): System => ({
  clock: {now: () => new Date()},
  random: {bytes: count => randomBytes(count), uuid: () => randomUUID()},
  identity: {pid: process.pid, username: userName(), hostname: hostname()},
});

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? ''); // no entry in the password file: the number says enough
  }
}
