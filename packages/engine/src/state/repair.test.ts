// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {assertSound, integrityFaults} from './integrity.ts';
import {repaired, repairReferences} from './repair.ts';
import {emptyState, type ResourceState} from './resource-state.ts';
import {ROOT_STACK_TYPE} from './urn.ts';

const urn = (name: string): string => `urn:pulumi:s::p::fake:index:Group::${name}`;
const ROOT = emptyState(`urn:pulumi:s::p::${ROOT_STACK_TYPE}::p-s`, ROOT_STACK_TYPE);
const group = (name: string, change: Partial<ResourceState> = {}): ResourceState => ({
  ...emptyState(urn(name), 'fake:index:Group'),
  parent: ROOT.urn,
  ...change,
});
/** The states left after those of these names are gone. */
const without = (states: readonly ResourceState[], ...names: readonly string[]): ResourceState[] => {
  const after = states.map(state => (names.some(name => state.urn.endsWith(`::${name}`)) ? undefined : state));
  repairReferences(states, after);
  return after.filter(state => state !== undefined);
};

test('F-05 a child moves up to the nearest ancestor that is still there, and keeps its URN', () => {
  const states = [
    ROOT,
    group('a'),
    group('b', {parent: urn('a')}),
    group('c', {parent: urn('b')}),
    group('d', {parent: urn('c')}),
  ];
  const left = without(states, 'b', 'c');
  expect(left.map(state => [state.urn, state.parent])).toEqual([
    [ROOT.urn, ''],
    [urn('a'), ROOT.urn],
    [urn('d'), urn('a')],
  ]);
  expect(without(left, 'a').at(-1)?.parent).toBe(ROOT.urn);
});

test('F-05 dependencies, property dependencies, deletedWith and replaceWith of what is gone go, others stay', () => {
  const references = {
    dependencies: [urn('a'), urn('b')],
    propertyDependencies: {x: [urn('a'), urn('b')], y: [urn('a')]},
    deletedWith: urn('a'),
    extra: {replaceWith: [urn('b'), urn('a')]},
  };
  const left = without([ROOT, group('a'), group('b'), group('c', references)], 'a').at(-1);
  expect(left).toMatchObject({
    dependencies: [urn('b')],
    propertyDependencies: {x: [urn('b')]},
    deletedWith: '',
    extra: {replaceWith: [urn('b')]},
  });
  expect(left?.propertyDependencies).not.toHaveProperty('y');
});

test('F-05 of two objects of one URN the one that is left keeps the references', () => {
  const [old, next] = [group('a', {id: 'old', delete: true}), group('a', {id: 'new'})];
  const dependent = () => group('b', {dependencies: [urn('a')]});
  for (const states of [
    [ROOT, next, dependent(), old],
    [ROOT, old, next, dependent()],
  ]) {
    const after = states.map(state => (state === old ? undefined : state));
    repairReferences(states, after);
    expect(after.find(state => state?.urn === urn('b'))?.dependencies).toEqual([urn('a')]);
  }
});

const forest = fc
  .array(fc.record({parent: fc.nat(), needs: fc.array(fc.nat(), {maxLength: 3}), gone: fc.boolean()}), {maxLength: 12})
  .map(list =>
    list.map(({parent, needs, gone}, i) => {
      const above = (n: number): string => (n % (i + 1) === i ? ROOT.urn : urn(String(n % (i + 1))));
      const [first = 0, ...others] = needs;
      const dependencies = others.filter(n => n % (i + 1) !== i).map(above);
      const state = group(String(i), {parent: above(parent), dependencies, propertyDependencies: {x: dependencies}});
      return {gone, state: {...state, deletedWith: first % (i + 1) === i ? '' : above(first)}};
    }),
  );

test('F-05 whatever goes, the rest fits together', () => {
  fc.assert(
    fc.property(forest, list => {
      const before = [ROOT, ...list.map(({state}) => state)];
      expect(integrityFaults(before)).toEqual([]);
      const after = [ROOT, ...list.map(({gone, state}) => (gone ? undefined : state))];
      repairReferences(before, after);
      expect(integrityFaults(after.filter(state => state !== undefined))).toEqual([]);
    }),
  );
});

test('F-05 what can be mended is: order and references to what is missing; a duplicate is not', () => {
  const states = [group('b', {dependencies: [urn('a'), urn('gone')], parent: urn('gone')}), group('a'), ROOT];
  expect(integrityFaults(repaired(states))).toEqual([]);
  expect(repaired(states).map(state => state.urn)).toEqual([ROOT.urn, urn('a'), urn('b')]);
  expect(() => assertSound(states)).toThrow(/is missing[\s\S]*run `palisade state repair` to repair it$/);
  const twice = [ROOT, group('a'), group('a')];
  expect(() => assertSound(repaired(twice))).toThrow(
    /duplicate resource .*::a\nrun `palisade stack export --file FILE`, correct/,
  );
});

test('F-05 a child that moves up to the root of the stack comes after it', () => {
  const states = [group('b', {parent: urn('gone')}), group('c', {parent: urn('b')}), ROOT];
  expect(repaired(states).map(state => [state.urn, state.parent])).toEqual([
    [ROOT.urn, ''],
    [urn('b'), ROOT.urn],
    [urn('c'), urn('b')],
  ]);
  expect(() => assertSound(states)).toThrow(/run `palisade state repair` to repair it$/);
});
