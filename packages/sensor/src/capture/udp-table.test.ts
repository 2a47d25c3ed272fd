// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {parseUdpTable} from './udp-table.ts';

const TABLE = [
  '   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops             ',
  '  157: 0100007F:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 11111 2 0000000000000000 0         ',
  ' 4321: 02014D7F:12B5 00000000:0000 07 00000000:00003D00 00:00000000 00000000 65534        0 22222 2 0000000000000000 26263     ',
  ' 4322: 02014D7F:17C1 00000000:0000 07 00000000:00000100 00:00000000 00000000 65534        0 33333 2 0000000000000000 37        ',
].join('\n');

test('43-1 the rows of an address give waiting bytes and drops, those of several ports together', () => {
  expect(parseUdpTable(TABLE, '127.77.1.2', [4789])).toEqual({queuedBytes: 0x3d00, drops: 26263});
  expect(parseUdpTable(TABLE, '127.77.1.2', [4789, 6081])).toEqual({queuedBytes: 0x3e00, drops: 26300});
  expect(parseUdpTable(TABLE, '127.0.0.1', [53])).toEqual({queuedBytes: 0, drops: 0});
  expect(parseUdpTable(TABLE, '127.77.1.3', [4789, 6081])).toBeUndefined();
});
