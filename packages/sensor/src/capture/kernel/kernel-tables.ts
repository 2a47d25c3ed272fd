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

/**
 * How often the threads of Suricata that read packets have given up the processor: they do so ten times a second when nothing comes, too.
 * Undefined: there are none, or they cannot be looked at.
 */
export const workerSwitches = (pid: number): number | undefined => {
  let found: number | undefined;
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'latin1');
      if (!status.startsWith('Name:\tW#')) continue;
      for (const [, count] of status.matchAll(/^(?:non)?voluntary_ctxt_switches:\s*(\d+)/gm))
        found = (found ?? 0) + Number(count);
    }
  } catch {
    return undefined; // it is gone
  }
  return found;
};
