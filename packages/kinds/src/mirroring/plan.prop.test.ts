// SPDX-License-Identifier: Apache-2.0
/** Whatever changes in whatever order: the slices are those that are wanted, and few are written for it. */
import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {EndpointSlice, SliceEndpoint} from '../endpoint-slices/types.ts';
import {endpointKey, groupKey, type SliceGroup} from './desired.ts';
import {type Plan, type PlanRules, planSlices} from './plan.ts';

const PORTS = [[{name: '', protocol: 'TCP', port: 80}], [{name: 'x', protocol: 'TCP', port: 81}]];
const RULES: PlanRules = {perSlice: 4, sparseness: 2, isCurrent: () => true};

/** Which of two ports each of some addresses has, and whether it is ready there. */
const state = fc.array(fc.tuple(fc.nat(30), fc.nat(1), fc.boolean()), {maxLength: 40});
type State = readonly (readonly [number, number, boolean])[];

const groupsOf = (of: State): Map<string, SliceGroup> => {
  const groups = new Map<string, SliceGroup & {readonly endpoints: Map<string, SliceEndpoint>}>();
  for (const [address, at, ready] of of) {
    const ports = PORTS[at] ?? [];
    const key = groupKey('IPv4', ports);
    const group = groups.get(key) ?? {addressType: 'IPv4', ports, endpoints: new Map()};
    const endpoint = {addresses: [`10.0.0.${address}`], conditions: {ready}};
    group.endpoints.set(endpointKey(endpoint), endpoint);
    groups.set(key, group);
  }
  return groups;
};

let made = 0;
const applied = (slices: readonly EndpointSlice[], {creates, updates, deletes}: Plan): EndpointSlice[] => {
  const changed = new Map(updates.map(({slice, content}) => [slice, content]));
  const kept = slices.filter(slice => !deletes.includes(slice));
  return [
    ...kept.map(slice => ({...slice, ...changed.get(slice)}) as EndpointSlice),
    ...creates.map(content => ({metadata: {name: `s${made++}`}, ...content}) as unknown as EndpointSlice),
  ];
};

const contentOf = (slices: readonly EndpointSlice[]): string[] =>
  slices
    .flatMap(({addressType = '', ports, endpoints}) =>
      (endpoints ?? []).map(each => `${groupKey(addressType, ports ?? [])} ${JSON.stringify(each)}`),
    )
    .toSorted();
const wantedOf = (groups: ReadonlyMap<string, SliceGroup>): string[] =>
  [...groups]
    .flatMap(([key, {endpoints}]) => [...endpoints.values()].map(each => `${key} ${JSON.stringify(each)}`))
    .toSorted();

test('45-2 I1 I3 after each change every endpoint is in one slice, and a second look changes nothing', () => {
  fc.assert(
    fc.property(fc.array(state, {maxLength: 6}), states => {
      let slices: EndpointSlice[] = [];
      for (const next of states) {
        const groups = groupsOf(next);
        slices = applied(slices, planSlices(groups, slices, RULES));
        expect(contentOf(slices)).toEqual(wantedOf(groups));
        for (const {endpoints} of slices) {
          expect(endpoints?.length).toBeGreaterThan(0);
          expect(endpoints?.length).toBeLessThanOrEqual(RULES.perSlice);
        }
        expect(planSlices(groups, slices, RULES)).toEqual({creates: [], updates: [], deletes: []});
        for (const [key, {endpoints}] of groups) {
          const used = slices.filter(({addressType = '', ports}) => groupKey(addressType, ports ?? []) === key).length;
          expect(used).toBeLessThanOrEqual(Math.max(1, Math.ceil(endpoints.size / RULES.perSlice)) * RULES.sparseness);
        }
      }
    }),
  );
});

test('45-2 I2 one address more, less or other writes one slice', () => {
  const all = (from: number, to: number): State =>
    Array.from({length: to - from}, (_, i) => [from + i, 0, true] as const);
  const start = all(0, 16);
  const slices = applied([], planSlices(groupsOf(start), [], RULES));
  expect(slices.map(({endpoints}) => endpoints?.length)).toEqual([4, 4, 4, 4]);
  const writes = (next: State): number[] => {
    const {creates, updates, deletes} = planSlices(groupsOf(next), slices, RULES);
    return [creates.length, updates.length, deletes.length];
  };
  expect(writes(start.toSpliced(5, 1))).toEqual([0, 1, 0]);
  expect(writes([...start, [99, 0, true]])).toEqual([1, 0, 0]);
  expect(writes([...start.toSpliced(5, 1), [99, 0, true]])).toEqual([0, 1, 0]);
  expect(writes(start.with(5, [5, 0, false]))).toEqual([0, 1, 0]);
});

test('45-2 I2 what is new goes where something is written anyway, not where there is room', () => {
  const start: State = Array.from({length: 16}, (_, i) => [i, 0, true] as const);
  const full = applied([], planSlices(groupsOf(start), [], RULES));
  const slices = applied(full, planSlices(groupsOf(start.slice(1)), full, RULES));
  expect(slices.map(({endpoints}) => endpoints?.length)).toEqual([3, 4, 4, 4]);
  const {creates, updates, deletes} = planSlices(groupsOf([...start.slice(1, 15), [20, 0, true]]), slices, RULES);
  expect([creates, updates.map(({slice}) => slice), deletes]).toEqual([[], [slices[3]], []]);
});

test('45-2 slices with wrong metadata are written, and ports that change keep their slice', () => {
  const start: State = [[1, 0, true]];
  const slices = applied([], planSlices(groupsOf(start), [], RULES));
  expect(planSlices(groupsOf(start), slices, {...RULES, isCurrent: () => false}).updates).toHaveLength(1);
  const {creates, updates, deletes} = planSlices(groupsOf([[1, 1, true]]), slices, RULES);
  expect([creates, updates.map(({slice}) => slice), deletes]).toEqual([[], slices, []]);
});
