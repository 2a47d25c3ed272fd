// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {parseUdpTable} from './udp-table.ts';
import {isVxlan} from './vxlan.ts';

const TABLE = [
  '   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops             ',
  '  157: 0100007F:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 11111 2 0000000000000000 0         ',
  ' 4321: 02014D7F:12B5 00000000:0000 07 00000000:00003D00 00:00000000 00000000 65534        0 22222 2 0000000000000000 26263     ',
].join('\n');

test('the row of an address gives waiting bytes and drops', () => {
  expect(parseUdpTable(TABLE, '127.77.1.2', 4789)).toEqual({queuedBytes: 0x3d00, drops: 26263});
  expect(parseUdpTable(TABLE, '127.0.0.1', 53)).toEqual({queuedBytes: 0, drops: 0});
  expect(parseUdpTable(TABLE, '127.77.1.3', 4789)).toBeUndefined();
});

test('VXLAN: the I flag and at least an Ethernet header behind the 8 bytes', () => {
  const datagram = (flags: number, inner: number): Buffer => {
    const bytes = Buffer.alloc(8 + inner);
    bytes.writeUInt8(flags, 0);
    return bytes;
  };
  expect([isVxlan(datagram(0x08, 14)), isVxlan(datagram(0xff, 1500))]).toEqual([true, true]);
  expect([
    isVxlan(datagram(0x08, 13)),
    isVxlan(datagram(0xf7, 100)),
    isVxlan(Buffer.alloc(0)),
    isVxlan(Buffer.from([8])),
  ]).toEqual([false, false, false, false]);
});
