// SPDX-License-Identifier: Apache-2.0
/** Who is in a group. Ref: requirements E-005, E-006. */
import {describe, expect, test} from 'vitest';
import type {EndpointRegistration} from '../endpoint-registrations/types.ts';
import {membersOf} from './members.ts';

const PORTS = [
  {name: 'a', port: 1, protocol: 'TCP'},
  {name: 'b', port: 2, protocol: 'TCP'},
];
/** Made at the second `age`. */
const registration = (
  name: string,
  age: number,
  spec: NonNullable<EndpointRegistration['spec']>,
): EndpointRegistration => ({
  metadata: {name, creationTimestamp: `2026-01-01T00:00:0${age}Z`},
  spec,
});
const texts = (...args: Parameters<typeof membersOf>): string[] =>
  membersOf(...args).members.flatMap(({address, offers}) => offers.map(({key}) => `${address.ip} ${key}`));

describe('46-1 members beyond the limit of pairs', () => {
  const old = registration('z', 1, {addresses: ['10.0.0.2']});
  const young = registration('a', 2, {addresses: ['10.0.0.3', '10.0.0.4']});
  const spec = {members: [{ip: '10.0.0.1'}], ports: PORTS};

  test('are left out and counted: inline members are kept first, then the oldest registrations', () => {
    expect(texts(spec, [young, old], 5)).toEqual([
      '10.0.0.1 a/1/TCP',
      '10.0.0.1 b/2/TCP',
      '10.0.0.2 a/1/TCP',
      '10.0.0.2 b/2/TCP',
      '10.0.0.3 a/1/TCP',
    ]);
    expect(membersOf(spec, [young, old], 5)).toMatchObject({pairs: 5, leftOut: 3});
    expect(membersOf(spec, [young, old], 8)).toMatchObject({pairs: 8, leftOut: 0});
  });

  test('put out nobody, whatever address they have', () => {
    const before = texts(spec, [old], 4);
    const more = {
      addresses: ['10.0.0.1', '10.0.0.0'],
      ports: [
        {name: 'a', port: 9},
        {name: 'b', port: 8},
      ],
    };
    expect(texts(spec, [registration('a', 2, more), old], 4)).toEqual(before);
  });

  test('are counted without a port, too', () => {
    expect(membersOf({members: [{ip: '10.0.0.1'}], selector: {}}, [old, young], 2)).toMatchObject({
      members: [{portless: {}}, {portless: {}}],
      pairs: 2,
      leftOut: 2,
    });
  });
});

test('46-3 an inline member drains at no port of its own, whatever registrations say, but at those of a registration', () => {
  const drains = registration('a', 1, {addresses: ['10.0.0.1'], draining: true});
  const more = registration('b', 1, {addresses: ['10.0.0.1'], ports: [{name: 'a', port: 9}], draining: true});
  const spec = {members: [{ip: '10.0.0.1'}], ports: PORTS};
  expect(membersOf(spec, [drains]).members).toMatchObject([{isDraining: false, offers: [{}, {isDraining: false}]}]);
  expect(membersOf(spec, [more]).members).toMatchObject([
    {isDraining: true, offers: [{isDraining: false}, {isDraining: false}, {port: {port: 9}, isDraining: true}]},
  ]);
  expect(membersOf({members: spec.members}, [drains]).members).toMatchObject([{portless: {isDraining: false}}]);
});

describe('46-3 an address that several users registered', () => {
  const of = (user: string, name: string, age: number, draining: boolean, ports?: typeof PORTS): EndpointRegistration =>
    registration(name, age, {user, addresses: ['10.0.0.1'], ...(draining && {draining}), ...(ports && {ports})});
  const drainsWith = (...registrations: EndpointRegistration[]): readonly boolean[] =>
    membersOf({ports: PORTS.slice(0, 1)}, registrations).members.flatMap(({isDraining, offers}) => [
      isDraining,
      ...offers.map(offer => offer.isDraining),
    ]);

  test('drains for none of the others, in any order', () => {
    const own = of('m1', 'own', 2, false);
    for (const age of [1, 3]) expect(drainsWith(own, of('m2', 'foreign', age, true))).toEqual([false, false]);
    expect(drainsWith(of('m1', 'own', 2, true), of('m2', 'foreign', 1, true))).toEqual([true, true]);
  });

  test('drains for its user by any registration of that user', () => {
    for (const age of [1, 3])
      expect(drainsWith(of('m1', 'own', 2, false), of('m1', 'another', age, true))).toEqual([true, true]);
  });

  test('drains without a port likewise', () => {
    const drained = (...registrations: EndpointRegistration[]): boolean | undefined =>
      membersOf({}, registrations).members[0]?.portless?.isDraining;
    expect(drained(of('m1', 'own', 2, false), of('m2', 'foreign', 1, true))).toBe(false);
    expect(drained(of('m1', 'own', 2, true), of('m1', 'another', 1, false))).toBe(true);
  });
});
