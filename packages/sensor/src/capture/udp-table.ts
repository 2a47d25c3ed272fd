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

/** Columns: sl, local, remote, state, tx:rx queue, timer, retransmits, uid, time-out, inode, references, pointer, drops. */
export const parseUdpTable = (table: string, address: string, port: number): UdpSocketState | undefined => {
  const key = keyOf(address, port);
  for (const line of table.split('\n')) {
    const columns = line.trim().split(/\s+/);
    if (columns[1] !== key) continue;
    return {queuedBytes: Number.parseInt(columns[4]?.split(':')[1] ?? '0', 16), drops: Number(columns.at(-1))};
  }
  return undefined;
};

/** Undefined when there is no such socket in this network namespace. */
export const readUdpSocket = async (address: string, port: number): Promise<UdpSocketState | undefined> =>
  parseUdpTable(await readFile('/proc/self/net/udp', 'latin1'), address, port);
