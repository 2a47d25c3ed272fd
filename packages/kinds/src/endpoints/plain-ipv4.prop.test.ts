// SPDX-License-Identifier: Apache-2.0
import {ipWarnings, validateEndpointIp, validateIp} from '@palisade/kube-wire';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {isPlainIpv4} from './plain-ipv4.ts';

const octet = fc.oneof(
  fc.integer({min: 0, max: 300}).map(String),
  fc.constantFrom('', '0', '00', '01', '127', '169', '224', '254', '255', 'x'),
);
const almostIp = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.array(octet, {minLength: 3, maxLength: 5}).map(parts => parts.join('.')),
  fc.string({maxLength: 16}),
);

test('what passes as plain has no fault and no advice by the full rules', () => {
  fc.assert(
    fc.property(almostIp, ip => {
      if (!isPlainIpv4(ip)) return;
      expect([...validateIp('ip', ip), ...validateEndpointIp('ip', ip), ...ipWarnings('ip', ip)]).toEqual([]);
    }),
    {numRuns: 3_000},
  );
});

test('an IPv4 address without fault is plain: the short way is the usual one', () => {
  fc.assert(
    fc.property(fc.ipV4(), ip => {
      const faults = [...validateIp('ip', ip), ...validateEndpointIp('ip', ip)];
      if (faults.length === 0 && !ip.startsWith('0.')) expect(isPlainIpv4(ip)).toBe(true);
    }),
    {numRuns: 3_000},
  );
});
