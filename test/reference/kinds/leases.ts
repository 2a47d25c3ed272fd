// SPDX-License-Identifier: Apache-2.0
/** Without Go's zero time, the first second of the year 1: the reference stores it and answers null; here it is no time. */
import fc from 'fast-check';
import {type Body, rarely, type Subject, some, withOneOdd} from '../steps.ts';

const time = fc.constantFrom(
  '2020-01-02T03:04:05.678901Z',
  '2020-01-02T03:04:15.000000Z',
  '2020-01-02T05:04:05.000001+02:00',
);
const oddTime = fc.constantFrom<unknown>('2020-01-02T03:04:05Z', '2020-01-02T03:04:05.5Z', 'now', 7, null, {});
const good = some({
  holderIdentity: fc.constantFrom('one', 'two', '', 'any text: with spaces'),
  leaseDurationSeconds: fc.constantFrom(15, 1, 2147483647),
  acquireTime: time,
  renewTime: time,
  leaseTransitions: fc.constantFrom(0, 1, 2),
  strategy: fc.constantFrom('OldestEmulationVersion', 'x', 'a/b', ''),
  preferredHolder: fc.constantFrom('p', ''),
}) as fc.Arbitrary<Body>;

const odd = {
  holderIdentity: fc.constantFrom<unknown>(null, 7, []),
  leaseDurationSeconds: fc.constantFrom<unknown>(0, -1, null, '15', 1.5, 2147483648),
  acquireTime: oddTime,
  renewTime: oddTime,
  leaseTransitions: fc.constantFrom<unknown>(-1, null, 'x'),
  strategy: fc.constantFrom<unknown>(null, 7),
};

export const leases: Subject = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  resource: 'leases',
  fields: fc
    .option(rarely(withOneOdd(good, odd), fc.constantFrom<unknown>(null, {}, [], 'x')), {nil: undefined, freq: 6})
    .map((made): Body => (made === undefined ? {} : {spec: made})),
  valid: {spec: {holderIdentity: 'end'}},
  pointers: [
    '/spec',
    '/spec/holderIdentity',
    '/spec/leaseDurationSeconds',
    '/spec/renewTime',
    '/spec/leaseTransitions',
    '/spec/strategy',
  ],
  values: rarely(
    fc.constantFrom<unknown>(
      'one',
      5,
      {},
      {holderIdentity: 'x'},
      '2020-01-02T03:04:05.678901Z',
      'OldestEmulationVersion',
    ),
    fc.constantFrom<unknown>(-5, null, []),
  ),
  fieldSelectors: ['metadata.name=web', 'metadata.name!=web', 'spec.holderIdentity=one'],
};
