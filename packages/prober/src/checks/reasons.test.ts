// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {faultOf} from './reasons.ts';

const NO_PORT = {kind: 'not-made', message: 'no free local port; raise net.ipv4.ip_local_port_range'};
const NO_IPV6 = {kind: 'failed', message: 'no IPv6 on this host; give it an address of IPv6, or take the member out'};

test.each([
  ['EADDRNOTAVAIL', '2001:db8::1', false, NO_IPV6],
  ['EAFNOSUPPORT', '2001:db8::1', false, NO_IPV6],
  ['EADDRNOTAVAIL', '2001:db8::1', true, NO_PORT],
  ['EADDRNOTAVAIL', '192.0.2.1', false, NO_PORT],
  [
    'EMFILE',
    '2001:db8::1',
    false,
    {kind: 'not-made', message: 'too many open files; raise the limit of the process (LimitNOFILE)'},
  ],
])(
  '46-2 %s of %s, IPv6 on this host: %s; what passes is no result, a host without IPv6 is a failure that says so',
  (code, address, hasIpv6, outcome) => {
    const error = Object.assign(new Error(`connect ${code}`), {code, address});
    expect(faultOf(error, 'connecting', () => hasIpv6)).toEqual(outcome);
  },
);
