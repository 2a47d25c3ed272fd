// SPDX-License-Identifier: Apache-2.0
import {isIP} from 'node:net';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {formatIp, ipKey, ipWarnings, parseIpSloppy, parseIpStrict, validateEndpointIp, validateIp} from './ip.ts';

const details = (errors: readonly {detail: string}[]) => errors.map(e => e.detail);

describe('syntax', () => {
  test.each([
    ['10.0.0.1', []],
    ['2001:DB8:0:0::1', []],
    ['::', []],
    ['::ffff:0:1.2.3.4', []],
    ['010.0.0.1', ['must not have leading 0s']],
    ['2001:00db8::1', ['must not have leading 0s']],
    ['::ffff:1.2.3.4', ['must not be an IPv4-mapped IPv6 address']],
    ['::ffff:102:304', ['must not be an IPv4-mapped IPv6 address']],
    ['', ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']],
    ['10.0.0', ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']],
    ['10.0.0.256', ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']],
    ['1.2.3.4/24', ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']],
    ['fe80::1%eth0', ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']],
    ['1::2::3', ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']],
    ['1:2:3:4:5:6:7::8', ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']],
    ['::1.2.3.4:5', ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']],
    [' 1.2.3.4', ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']],
  ])('%j', (text, want) => expect(details(validateIp('ip', text))).toEqual(want));
});

describe('ranges that no endpoint may be in, at their edges', () => {
  const LOOPBACK = 'may not be in the loopback range (127.0.0.0/8, ::1/128)';
  const LINK_LOCAL = 'may not be in the link-local range (169.254.0.0/16, fe80::/10)';
  const MULTICAST = 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)';
  test.each([
    ['126.255.255.255', []],
    ['127.0.0.0', [LOOPBACK]],
    ['127.255.255.255', [LOOPBACK]],
    ['128.0.0.0', []],
    ['::1', [LOOPBACK]],
    ['::2', []],
    ['::ffff:127.0.0.1', [LOOPBACK]],
    ['169.253.255.255', []],
    ['169.254.0.0', [LINK_LOCAL]],
    ['169.255.0.0', []],
    ['fe7f:ffff::', []],
    ['fe80::', [LINK_LOCAL]],
    ['febf:ffff::', [LINK_LOCAL]],
    ['fec0::', []],
    ['223.255.255.255', []],
    ['224.0.0.255', [MULTICAST]],
    ['224.0.1.0', []],
    ['ff01::', []],
    ['ff02::1', [MULTICAST]],
    ['ff12::1', [MULTICAST]],
    ['ff03::', []],
    ['0.0.0.0', ['may not be unspecified (0.0.0.0)']],
    ['0:0::0', ['may not be unspecified (0:0::0)']],
    ['255.255.255.255', []],
    ['x', ['must be a valid IP address']],
  ])('%s', (text, want) => expect(details(validateEndpointIp('ip', text))).toEqual(want));
});

test('two spellings of one address are the same', () => {
  expect(ipKey('2001:DB8::1')).toBe(ipKey('2001:db8:0:0:0:0:0:1'));
  expect(ipKey('::ffff:10.0.0.1')).toBe(ipKey('10.0.0.1'));
  expect(ipKey('10.0.0.1')).not.toBe(ipKey('10.0.0.2'));
  expect(ipKey('x')).toBeUndefined();
  expect(ipKey('1:0:0:2:0:0:0:3')).toBe('1:0:0:2::3');
});

test('advice for spellings that are read but not recommended', () => {
  expect(ipWarnings('a.ip', '2001:DB8::1')).toEqual([
    'a.ip: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
  ]);
  expect(ipWarnings('a.ip', '010.0.0.1')).toEqual([
    'a.ip: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"',
  ]);
  expect(ipWarnings('a.ip', '10.0.0.1')).toEqual([]);
});

test('any address that is printed is read back; what the platform reads, we read', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), text => {
      const strict = parseIpStrict(text);
      expect(strict !== undefined).toBe(isIP(text) !== 0);
      const bytes = parseIpSloppy(text);
      if (bytes === undefined) return;
      expect(parseIpStrict(formatIp(bytes))?.bytes).toEqual(bytes);
    }),
    {numRuns: 500, seed: 20260501},
  );
});
