// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {dependentsOf, removeResources, renameResource, resourceOf} from './edit.ts';
import {emptyState, type ResourceState} from './resource-state.ts';

const provider = {
  ...emptyState('urn:pulumi:s::p::pulumi:providers:fake::east', 'pulumi:providers:fake'),
  custom: true,
  id: '1',
};
const urn = (name: string): string => `urn:pulumi:s::p::fake:index:Thing::${name}`;
const thing = (name: string, change: Partial<ResourceState> = {}): ResourceState => ({
  ...emptyState(urn(name), 'fake:index:Thing'),
  custom: true,
  id: `id-${name}`,
  provider: `${provider.urn}::1`,
  ...change,
});
const names = (resources: readonly ResourceState[]): string[] =>
  resources.map(state => state.urn.split('::').at(-1) ?? '');
const refuse = (): void => {
  throw new Error('protected');
};

describe('what depends on a resource', () => {
  test.each<[string, Partial<ResourceState>]>([
    ['parent', {parent: urn('a')}],
    ['dependencies', {dependencies: [urn('a')]}],
    ['propertyDependencies', {propertyDependencies: {x: [urn('a')]}}],
    ['deletedWith', {deletedWith: urn('a')}],
    ['replaceWith', {extra: {replaceWith: [urn('a')]}}],
  ])('by %s, directly or not', (_, change) => {
    const a = thing('a');
    const resources = [provider, a, thing('b', change), thing('c'), thing('d', {dependencies: [urn('b')]})];
    expect(names(dependentsOf(resources, a))).toEqual(['b', 'd']);
    expect(names(dependentsOf(resources, provider))).toEqual(['a', 'b', 'c', 'd']);
  });

  test('nothing depends on one of two objects of the same URN: it may be the other', () => {
    const [old, next] = [thing('a', {id: 'old', delete: true}), thing('a')];
    const resources = [provider, next, thing('b', {dependencies: [urn('a')]}), old];
    expect(dependentsOf(resources, old)).toEqual([]);
    expect(() => resourceOf({resources, urn: urn('a'), hint: ''})).toThrow('ids id-a, old');
    expect(names(removeResources(resources, new Set([old]), {dependents: false, onProtected: refuse}))).toEqual([
      'east',
      'a',
      'b',
    ]);
  });
});

test('several resources go together when nothing else depends on them; protected dependents are asked for too', () => {
  const [a, b] = [thing('a'), thing('b', {dependencies: [urn('a')]})];
  const resources = [provider, a, b];
  const how = {dependents: false, onProtected: refuse};
  expect(removeResources(resources, new Set([a, b]), how)).toEqual([provider]);
  expect(() => removeResources(resources, new Set([a]), how)).toThrow(`b (${urn('b')})`);
  b.protect = true;
  expect(() => removeResources(resources, new Set([a]), {...how, dependents: true})).toThrow('protected');
});

test('a new name is in everything that mentioned the old one, also what the engine only keeps', () => {
  const a = thing('a', {propertyDependencies: {own: []}});
  const b = thing('b', {propertyDependencies: {x: [urn('a')], y: []}, extra: {replaceWith: [urn('a')]}});
  renameResource([provider, a, b], a, 'x::y');
  expect(a.urn).toBe(urn('x::y'));
  expect(a.propertyDependencies).toEqual({own: []});
  expect(b.propertyDependencies).toEqual({x: [urn('x::y')]});
  expect(b.extra).toEqual({replaceWith: [urn('x::y')]});
  expect(() => renameResource([provider, a, b], b, 'x::y')).toThrow('already');
});
