// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {cidrWarnings, formatCidr, parseCidrSloppy, validateCidr} from './cidr.ts';

const details = (text: string): string[] => validateCidr('p', text).map(({detail}) => detail);
const NO_CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

test.each<[string, string | undefined]>([
  ['10.0.0.0/8', undefined],
  ['0.0.0.0/0', undefined],
  ['2001:DB8::/32', undefined],
  ['::/0', undefined],
  ['10.0.0.1', NO_CIDR],
  ['10.0.0.0/33', NO_CIDR],
  ['10.0.0.0/', NO_CIDR],
  ['10.0.0.0/+8', NO_CIDR],
  ['x/8', NO_CIDR],
  ['2001:db8::/129', NO_CIDR],
  ['010.0.0.0/8', 'must not have leading 0s in IP or prefix length'],
  ['10.0.0.0/08', 'must not have leading 0s in IP or prefix length'],
  ['::ffff:1.2.3.0/120', 'must not have an IPv4-mapped IPv6 address'],
  ['10.0.0.1/8', 'must not have bits set beyond the prefix length'],
  ['2001:db8::1/64', 'must not have bits set beyond the prefix length'],
])('45-1 %s as a new range: %s', (text, fault) => {
  expect(details(text)).toEqual(fault === undefined ? [] : [fault]);
});

test.each([
  ['10.9.8.7/24', '10.9.8.0/24'],
  ['010.9.8.7/024', '10.9.8.0/24'],
  ['2001:DB8::1/64', '2001:db8::/64'],
  ['::ffff:1.2.3.4/120', '1.2.3.0/24'],
  ['::ffff:1.2.3.4/64', '::/64'],
])('45-1 %s is the range %s', (text, canonical) => {
  const range = parseCidrSloppy(text);
  expect(range && formatCidr(range)).toBe(canonical);
});

test.each<[string, readonly string[]]>([
  ['10.0.0.0/8', []],
  ['no range', []],
  [
    '10.0.0.1/8',
    ['p: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)'],
  ],
  ['010.0.0.0/8', ['p: non-standard CIDR value "010.0.0.0/8" is invalid: use "10.0.0.0/8"']],
  ['2001:DB8::/32', ['p: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")']],
  [
    '::ffff:1.2.3.4/120',
    [
      'p: CIDR value "::ffff:1.2.3.4/120" is ambiguous in this context (should be "1.2.3.0/24" or "1.2.3.4/128"?)',
      'p: non-standard CIDR value "::ffff:1.2.3.4/120" is invalid: use "1.2.3.0/24"',
    ],
  ],
])('45-1 advice about %s', (text, warnings) => {
  expect(cidrWarnings('p', text)).toEqual(warnings);
});
