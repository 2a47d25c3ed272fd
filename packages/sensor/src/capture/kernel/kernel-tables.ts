// SPDX-License-Identifier: Apache-2.0
/** Tables of this network namespace that the kernel shows: interfaces, packet sockets, routes. Not below /sys, which is the machine's. */
import {readdirSync, readFileSync} from 'node:fs';
import {readFile} from 'node:fs/promises';

export type InterfaceCounts = {readonly bytes: number; readonly packets: number; readonly errors: number};

/** Of /proc/net/dev: what an interface has received; undefined: there is no such interface. */
export const parseInterfaceTable = (table: string, name: string): InterfaceCounts | undefined => {
  for (const line of table.split('\n')) {
    const colon = line.indexOf(':');
    if (colon < 0 || line.slice(0, colon).trim() !== name) continue;
    const [bytes = 0, packets = 0, errors = 0] = line
      .slice(colon + 1)
      .trim()
      .split(/\s+/)
      .map(Number);
    return {bytes, packets, errors};
  }
  return undefined;
};

/** Of /proc/net/dev: the names of all interfaces. */
export const parseInterfaceNames = (table: string): readonly string[] =>
  table.split('\n').flatMap(line => (line.includes(':') ? [line.slice(0, line.indexOf(':')).trim()] : []));

/** Of /proc/net/packet: how many packet sockets get packets; `index`: of the interface with this index alone. */
export const countPacketSockets = (table: string, index?: number): number =>
  table.split('\n').filter(line => {
    // Columns: socket, references, type, protocol, interface, running, memory, user, inode.
    const columns = line.trim().split(/\s+/);
    return columns[5] === '1' && (index === undefined || columns[4] === String(index));
  }).length;

/** Of /proc/net/route: the interfaces of default routes. */
export const parseDefaultRoutes = (table: string): readonly string[] => {
  const rows = table.split('\n').map(line => line.split('\t'));
  return [...new Set(rows.filter(row => row[1] === '00000000' && row[7] === '00000000').map(row => row[0] ?? ''))];
};

export const readTable = (name: 'dev' | 'packet' | 'route'): Promise<string> =>
  readFile(`/proc/self/net/${name}`, 'latin1');

export type ReadingThread = {
  readonly id: string;
  /** How often it gave up the processor by itself, as it does when there is nothing to read. */
  readonly sleeps: number;
  /** How often the processor was taken from it. */
  readonly preemptions: number;
  readonly isAsleep: boolean;
};

const countIn = (status: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(status)?.[1] ?? 0);

/** The threads of Suricata, the process `pid`, that read packets; empty: it has none, or they cannot be looked at. */
export const threadsThatRead = (pid: number): readonly ReadingThread[] => {
  const threads: ReadingThread[] = [];
  try {
    for (const id of readdirSync(`/proc/${pid}/task`)) {
      const status = readFileSync(`/proc/${pid}/task/${id}/status`, 'latin1');
      if (!status.startsWith('Name:\tW#')) continue;
      const sleeps = countIn(status, 'voluntary_ctxt_switches');
      const preemptions = countIn(status, 'nonvoluntary_ctxt_switches');
      threads.push({id, sleeps, preemptions, isAsleep: /^State:\s*S/m.test(status)});
    }
  } catch {
    return []; // it is gone
  }
  return threads;
};

/**
 * How often the threads of Suricata that read packets have given up the processor: they do so ten times a second when nothing comes, too.
 * Undefined: there are none, or they cannot be looked at.
 */
export const workerSwitches = (pid: number): number | undefined => {
  const threads = threadsThatRead(pid);
  return threads.length === 0 ? undefined : threads.reduce((sum, each) => sum + each.sleeps + each.preemptions, 0);
};
