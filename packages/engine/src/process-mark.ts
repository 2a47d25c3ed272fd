// SPDX-License-Identifier: Apache-2.0
/**
 * Which process a recorded pid means. A number is given again once its process is gone, after a restart of the machine as well, and
 * means nothing in another PID namespace. So the mark holds: the boot, the namespace, and the start in clock ticks since the boot.
 * Ref: proc(5), /proc/PID/stat fields 3 and 22; pid_namespaces(7).
 */
import {readFileSync, readlinkSync} from 'node:fs';

export type ProcessMark = {readonly boot: string; readonly namespace: string; readonly startTicks: string};

/** `unknown`: a process of another PID namespace, or what is no pid. A process that ended and was not collected yet is gone. */
export type Liveness = 'running' | 'gone' | 'unknown';

/** Of this process; undefined where the system does not report it (not Linux). */
export function ownMark(): ProcessMark | undefined {
  const here = place();
  const startTicks = statOf('self')?.startTicks;
  return here === undefined || startTicks === undefined ? undefined : {...here, startTicks};
}

/** `mark`: as it was recorded with the pid; unknown values come from a file. Without one the pid alone decides. */
export function livenessOf(pid: unknown, mark?: unknown): Liveness {
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0) return 'unknown';
  const recorded = isMark(mark) ? mark : undefined;
  const here = place();
  if (recorded !== undefined && here !== undefined) {
    if (recorded.boot !== here.boot) return 'gone';
    if (recorded.namespace !== here.namespace) return 'unknown';
  }
  if (!isThere(pid)) return 'gone';
  const stat = statOf(pid);
  if (stat === undefined) return 'running'; // its entry may not be read, or there are none
  const isOther = recorded !== undefined && recorded.startTicks !== stat.startTicks;
  return isOther || ENDED.has(stat.state) ? 'gone' : 'running';
}

/** Zombie, dead. */
const ENDED: ReadonlySet<string> = new Set(['Z', 'X', 'x']);

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function isMark(value: unknown): value is ProcessMark {
  if (typeof value !== 'object' || value === null) return false;
  const {boot, namespace, startTicks} = value as Partial<ProcessMark>;
  return [boot, namespace, startTicks].every(member => typeof member === 'string' && member !== '');
}

function place(): Pick<ProcessMark, 'boot' | 'namespace'> | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return {boot, namespace: readlinkSync('/proc/self/ns/pid')};
  } catch {
    return undefined;
  }
}

function statOf(pid: number | 'self'): {readonly state: string; readonly startTicks: string} | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name in brackets may hold anything
    const [state, startTicks] = [fields[0], fields[19]];
    return state === undefined || startTicks === undefined ? undefined : {state, startTicks};
  } catch {
    return undefined;
  }
}
