// SPDX-License-Identifier: Apache-2.0
/** A program under strace: which bytes of a file were on the disk when it said what. */
import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';

const CALLS = 'write,pwrite64,pwritev,pwritev2,fsync,fdatasync';

/** Why no program can be traced here; undefined: one can. */
export const whyNoTrace = (): string | undefined => {
  const {error, status, stderr} = spawnSync('strace', ['-o', '/dev/null', 'true'], {encoding: 'utf8'});
  if (error !== undefined) return 'strace is missing, it comes with the package strace';
  return status === 0 ? undefined : `strace may not trace here: ${stderr.trim()}`;
};

export type TraceEvent =
  | {readonly kind: 'write begins' | 'sync begins' | 'synced'; readonly file: string}
  /** A whole line on stdout. */
  | {readonly kind: 'said'; readonly line: string};

const BEGINS = /^\d+ +(\w+)\((\d+)<([^>]*)>(?:, "(.*?)\\n", )?/;
const ENDS_WELL = /\) += 0$/;

/** Runs a program to its end, and reads what it did. `logFile` is written. Throws when the program fails. */
export const traceOf = (command: readonly string[], logFile: string): TraceEvent[] => {
  const strace = ['-f', '-y', '-qq', '-s', '64', '-e', `trace=${CALLS}`, '-e', 'signal=none', '-o', logFile];
  const {status, stderr} = spawnSync('strace', [...strace, '--', ...command], {encoding: 'utf8'});
  if (status !== 0) throw new Error(`${command.join(' ')}: exit ${status}: ${stderr}`);
  return eventsOf(readFileSync(logFile, 'utf8').split('\n'));
};

/** A call that another thread interrupts has two lines: `… <unfinished ...>` and `<... fsync resumed>) = 0`. */
const eventsOf = (lines: readonly string[]): TraceEvent[] => {
  const events: TraceEvent[] = [];
  const syncing = new Map<string, string>();
  for (const line of lines) {
    const thread = line.split(' ', 1)[0] ?? '';
    const [, call, descriptor, file = '', text] = BEGINS.exec(line) ?? [];
    if (call === 'write' && descriptor === '1' && text !== undefined) events.push({kind: 'said', line: text});
    else if (call === 'fsync' || call === 'fdatasync') {
      events.push({kind: 'sync begins', file});
      syncing.set(thread, file);
    } else if (call !== undefined) events.push({kind: 'write begins', file});
    const synced = syncing.get(thread);
    if (synced === undefined || line.endsWith('<unfinished ...>')) continue;
    if (ENDS_WELL.test(line)) events.push({kind: 'synced', file: synced});
    syncing.delete(thread);
  }
  return events;
};
