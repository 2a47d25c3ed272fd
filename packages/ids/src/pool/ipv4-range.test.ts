// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {rangeOf} from '../testing/range-of.ts';
import {formatIpv4, parseIpv4Range} from './ipv4-range.ts';

test.each([
  ['127.77.0.0/16', '127.77.0.0/16', '127.77.0.1', 65_534],
  ['127.77.3.9/16', '127.77.0.0/16', '127.77.0.1', 65_534],
  ['10.0.0.4/30', '10.0.0.4/30', '10.0.0.5', 2],
  ['10.0.0.0/8', '10.0.0.0/8', '10.0.0.1', 16_777_214],
  ['255.255.255.0/24', '255.255.255.0/24', '255.255.255.1', 254],
])('%s is %s, begins at %s and has %d addresses', (text, cidr, first, count) => {
  const range = rangeOf(text);
  expect([range.cidr, formatIpv4(range.first), range.count]).toEqual([cidr, first, count]);
});

test.each(['', '10.0.0.0', '10.0.0.0/7', '10.0.0.0/31', '10.0.0.256/24', '10.0.0/24', '::1/64', '10.0.0.0/24 '])(
  'refuses %j',
  text => {
    expect(parseIpv4Range(text)).toBeUndefined();
  },
);
