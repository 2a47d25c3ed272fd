// SPDX-License-Identifier: Apache-2.0
/** What an operator may write in the flags about kinds. Ref: k8s.io/utils net/parse.go ParseCIDRSloppy. */
import {expect, test} from 'vitest';
import {type KindFlags, kindConfigOf} from './kind-config.ts';

const GOOD: KindFlags = {
  'service-cluster-ip-range': ['10.96.0.0/16'],
  'service-node-port-range': '30000-32767',
  'event-ttl': '1h',
  mirror: undefined,
};
const faultsOf = (flags: Partial<KindFlags>): readonly string[] => kindConfigOf({...GOOD, ...flags}).faults;
const RANGE = 'must be a range such as 10.96.0.0/16 (from /12 to /30) or fd00:10:96::/112 (from /108 to /126)';

test.each(['10.96.0.0/16', '010.096.0.0/16', '10.96.0.0/12,fd00:10:96::/112', 'fd00:10:96::/126'])(
  '45-1 --service-cluster-ip-range %s is taken',
  range => {
    expect(faultsOf({'service-cluster-ip-range': [range]})).toEqual([]);
  },
);

test.each([
  ['10.96.0.0', RANGE],
  ['10.96.0.0/11', RANGE],
  ['10.96.0.0/33', RANGE],
  ['fd00::/64', RANGE],
  ['fe80::1%eth0/112', RANGE],
  ['::ffff:10.0.0.0/112', 'must not be an IPv4 range in the form of IPv6, write 10.0.0.0/16'],
  ['::ffff:10.0.0.0/104', 'must not be an IPv4 range in the form of IPv6, write 10.0.0.0/8'],
])('45-1 --service-cluster-ip-range %s is refused', (range, why) => {
  expect(faultsOf({'service-cluster-ip-range': [range]})).toEqual([`--service-cluster-ip-range ${range}: ${why}`]);
});

test.each(['500ms', '0s', '1.5h', ''])('45-1 --event-ttl %j is refused with the least that there is', ttl => {
  const why = 'must be a time such as 1h, 30m or 7d, of at least 1s';
  expect(faultsOf({'event-ttl': ttl})).toEqual([`--event-ttl ${ttl}: ${why}`]);
});
