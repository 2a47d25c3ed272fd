// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {parseMirrorFrom, senderFilter} from './mirror-from.ts';

test('43-1 networks and addresses, canonical and each once', () => {
  expect(parseMirrorFrom(['10.1.0.0/16', '192.0.2.7', '192.0.2.7/32', 'FD00:0::/8'])).toEqual({
    words: ['10.1.0.0/16', '192.0.2.7/32', 'fd00::/8'],
    faults: [],
  });
});

test('43-1 every fault is reported with its word and the way out', () => {
  const FORM = 'must be a network such as 10.0.0.0/8, or an address';
  const words = ['10.1.2.3/16', 'fd00::1/8', '10.0.0.0/33', '1.2.3', 'fd00::/129', '10.0.0.0/08', '!10.0.0.0/8'];
  expect(parseMirrorFrom(words).faults).toEqual([
    '10.1.2.3/16: has host bits set: write 10.1.0.0/16',
    'fd00::1/8: has host bits set: write fd00::/8',
    `10.0.0.0/33: ${FORM}`,
    `1.2.3: ${FORM}`,
    `fd00::/129: ${FORM}`,
    `10.0.0.0/08: ${FORM}`,
    '!10.0.0.0/8: networks cannot be excluded here: list the networks that may send',
  ]);
});

test('43-1 a list by which nobody could send is refused', () => {
  expect(parseMirrorFrom([]).faults).toEqual(['lists no network']);
  expect(parseMirrorFrom(['fd00::/8']).faults).toEqual([
    'lists no IPv4 network, but endpoints receive at IPv4 addresses: list the IPv4 addresses of the senders',
  ]);
});

test('43-1 a sender is accepted inside a listed network only, however often it is asked for', () => {
  const accepts = senderFilter(['10.1.0.0/16', '192.0.2.7/32']);
  const senders = ['10.1.0.0', '10.1.255.255', '192.0.2.7', '10.0.255.255', '10.2.0.0', '192.0.2.8', '::1', 'x'];
  for (let round = 0; round < 2; round++)
    expect(senders.map(sender => accepts?.(sender))).toEqual([true, true, true, false, false, false, false, false]);
  for (let i = 0; i < 3_000; i++) expect(accepts?.(`10.1.${i >> 8}.${i & 255}`)).toBe(true);
  expect(senderFilter([])).toBeUndefined();
});
