// SPDX-License-Identifier: Apache-2.0
/** What the kernel knows of our UDP sockets: bytes that wait in the receive buffer, and datagrams dropped because it was full. */
import {readFile} from 'node:fs/promises';

export type UdpSocketState = {readonly queuedBytes: number; readonly drops: number};

/** Address and port as the table prints them: the address as a little-endian word. */
const keyOf = (address: string, port: number): string => {
  const hex = (value: number, digits: number): string => value.toString(16).toUpperCase().padStart(digits, '0');
  const bytes = address.split('.').map(part => hex(Number(part), 2));
  return `${bytes.reverse().join('')}:${hex(port, 4)}`;
};

/** The sum over the sockets at these ports. Columns: sl, local, remote, state, tx:rx queue, timer, retransmits, uid, time-out, inode, references, pointer, drops. */
export const parseUdpTable = (table: string, address: string, ports: readonly number[]): UdpSocketState | undefined => {
  const keys = ports.map(port => keyOf(address, port));
  let found: UdpSocketState | undefined;
  for (const line of table.split('\n')) {
    if (!keys.some(key => line.includes(key))) continue;
    const columns = line.trim().split(/\s+/);
    if (!keys.some(key => columns[1] === key)) continue;
    const {queuedBytes, drops} = found ?? {queuedBytes: 0, drops: 0};
    const waiting = Number.parseInt(columns[4]?.split(':')[1] ?? '0', 16);
    found = {queuedBytes: queuedBytes + waiting, drops: drops + Number(columns.at(-1))};
  }
  return found;
};

/** Undefined when there is no such socket in this network namespace. */
export const readUdpSockets = async (address: string, ports: readonly number[]): Promise<UdpSocketState | undefined> =>
  parseUdpTable(await readFile('/proc/self/net/udp', 'latin1'), address, ports);
