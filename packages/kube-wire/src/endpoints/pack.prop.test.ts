// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import type {SubsetLike} from './endpoint-subset.ts';
import {expandSubsets} from './expand.ts';
import {packSubsets} from './pack.ts';

/** Other fields follow from IP and uid, so repeated addresses agree. */
const address = fc
  .record({ip: fc.constantFrom('10.0.0.1', '10.0.0.2', '10.0.0.10', 'fd00::1'), uid: fc.constantFrom('', 'u1', 'u2')})
  .map(({ip, uid}) => ({ip, nodeName: `node-of-${ip}${uid}`, ...(uid !== '' && {targetRef: {uid}})}));
const port = fc.record(
  {
    name: fc.constantFrom('a', 'b'),
    port: fc.constantFrom(80, 81, 443),
    protocol: fc.constantFrom('TCP', 'UDP'),
    appProtocol: fc.constantFrom('x', 'y'),
  },
  {requiredKeys: ['port', 'protocol']},
);
const subset: fc.Arbitrary<SubsetLike> = fc.record({
  addresses: fc.array(address, {maxLength: 4}),
  notReadyAddresses: fc.array(address, {maxLength: 3}),
  ports: fc.array(port, {maxLength: 3}),
});
const subsets = fc.array(subset, {maxLength: 5});

describe('pack', () => {
  it('E-051 leaves the expansion as it was', () => {
    fc.assert(
      fc.property(subsets, given => {
        expect(expandSubsets(packSubsets(given))).toEqual(expandSubsets(given));
      }),
    );
  });

  it('E-051 is done after one time', () => {
    fc.assert(
      fc.property(subsets, given => {
        const once = packSubsets(given);
        expect(packSubsets(once)).toEqual(once);
      }),
    );
  });

  it('E-051 does not depend on the order of anything', () => {
    const shuffled = subsets.chain(given =>
      fc.tuple(fc.constant(given), fc.shuffledSubarray(given, {minLength: given.length})),
    );
    fc.assert(
      fc.property(shuffled, ([given, other]) => {
        const turned = other.map(each => ({
          addresses: [...(each.addresses ?? [])].reverse(),
          notReadyAddresses: [...(each.notReadyAddresses ?? [])].reverse(),
          ports: [...(each.ports ?? [])].reverse(),
        }));
        expect(packSubsets(turned)).toEqual(packSubsets(given));
      }),
    );
  });

  it('E-051 gives equal sets equal subsets, however they were written', () => {
    fc.assert(
      fc.property(subsets, given => {
        const flat = given.flatMap(each =>
          (each.ports?.length ? each.ports.map(one => [one]) : [[]]).flatMap(ports => [
            ...(each.addresses ?? []).map(one => ({addresses: [one], ports})),
            ...(each.notReadyAddresses ?? []).map(one => ({notReadyAddresses: [one], ports})),
          ]),
        );
        expect(packSubsets(flat)).toEqual(packSubsets(given));
      }),
    );
  });

  it('E-044 E-050 never has an address on both sides of a subset, nor a port twice', () => {
    fc.assert(
      fc.property(subsets, given => {
        const packed = packSubsets(given);
        const keyed = packed.flatMap(each => (each.ports ?? []).map(one => JSON.stringify(one)));
        expect(new Set(keyed).size).toBe(keyed.length);
        for (const each of packed) {
          const all = [...(each.addresses ?? []), ...(each.notReadyAddresses ?? [])].map(one => JSON.stringify(one));
          expect(new Set(all).size).toBe(all.length);
        }
      }),
    );
  });
});
