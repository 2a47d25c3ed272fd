// SPDX-License-Identifier: Apache-2.0
import {kindStructs} from '@palisade/kube-wire';
import {expect, test} from 'vitest';
import {ALL_VERBS, type KindDefinition} from './kind.ts';
import {assertKinds} from './kind-faults.ts';

const typeName = 'dev.palisade.test.v1.Thing';

const thing: KindDefinition = {
  group: 'test.palisade.dev',
  version: 'v1',
  kind: 'Thing',
  listKind: 'ThingList',
  resource: 'things',
  singular: 'thing',
  namespaced: true,
  verbs: ALL_VERBS,
  typeName,
  types: kindStructs({
    group: 'test.palisade.dev',
    version: 'v1',
    kind: 'Thing',
    typeName,
    doc: '',
    fields: [
      {name: 'size', proto: 2, type: {type: 'integer', format: 'int32'}, go: 'int32', doc: ''},
      {name: 'spec', proto: 3, type: {type: 'any'}, go: 'runtime.RawExtension', doc: ''},
    ],
  }),
  registryPath: 'things',
  internalName: 'test.Thing',
  strategy: {
    validateName: () => [],
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: false,
    table: {columns: [], cells: () => []},
  },
};

const faultsOf = (...kinds: readonly KindDefinition[]): readonly string[] => {
  try {
    assertKinds(kinds);
  } catch (error) {
    return (error as {faults: readonly string[]}).faults;
  }
  return [];
};

/** The frame of a kind refers to these. */
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const lacking = [
  `${typeName}.metadata refers to ${META}.ObjectMeta, but its type table has no such type: add it to \`types\``,
  `${typeName}List.metadata refers to ${META}.ListMeta, but its type table has no such type: add it to \`types\``,
];

test('the structs of a kind are looked at, and those of its list', () => {
  expect(faultsOf(thing)).toEqual(lacking);
  expect(faultsOf({...thing, verbs: ['create']})).toEqual(lacking.slice(0, 1));
  expect(() => assertKinds([thing])).toThrow(`the kinds cannot be served:\n- ${lacking.join('\n- ')}`);
});

test.each<[string, Partial<KindDefinition>, string]>([
  [
    'a resource that no path can name',
    {resource: 'Things/x'},
    'Thing has the invalid resource "Things/x": use lower-case letters, digits and `-`',
  ],
  [
    'a singular that is empty',
    {singular: ''},
    'Thing has the invalid singular "": use lower-case letters, digits and `-`',
  ],
  [
    'a struct of another kind',
    {kind: 'Widget'},
    `${typeName} is not marked as Widget of test.palisade.dev/v1: add it to its \`gvk\``,
  ],
  [
    'a reset of what is not there',
    {strategy: {...thing.strategy, resetFields: [['size'], ['spec', 'any'], ['status']]}},
    `Thing resets status, but ${typeName} has no such field: use an existing field`,
  ],
  [
    'a subresource that is there twice',
    {subresources: ['status', 'scale', 'status'].map(name => ({name, verbs: [], prepareForUpdate: () => {}}))},
    'Thing has the subresource status twice: remove one',
  ],
])('%s', (_, change, fault) => {
  expect(faultsOf({...thing, ...change}).filter(text => !lacking.includes(text))).toEqual([fault]);
});

test('two kinds under one path or name', () => {
  const other = {...thing, resource: 'others', kind: 'Other'};
  expect(faultsOf(thing, {...other, resource: 'things'})[0]).toBe(
    'the resource things of test.palisade.dev/v1 is defined twice: rename one',
  );
  expect(faultsOf(thing, {...other, kind: 'Thing'})[0]).toBe(
    'the kind Thing of test.palisade.dev/v1 is defined twice: rename one',
  );
  expect(faultsOf(thing, {...other, kind: 'Thing', version: 'v2'}).join()).not.toContain('defined twice');
});

test('45-1 a kind that shows the objects of another needs one that has them, and that is where it is', () => {
  const stored = {...thing, verbs: ['create']} as KindDefinition;
  const convert = {toStored: () => ({}), fromStored: () => ({})};
  const shown = (of: KindDefinition, more: Partial<KindDefinition> = {}): KindDefinition => ({
    ...stored,
    version: 'v2',
    storedAs: {kind: of, ...convert},
    ...more,
  });
  const about = (...kinds: readonly KindDefinition[]): readonly string[] =>
    faultsOf(...kinds).filter(fault => fault.includes('is stored as'));
  expect(about(stored, shown(stored))).toEqual([]);
  expect(about(shown(stored))).toEqual([
    'Thing of test.palisade.dev/v2 is stored as Thing of test.palisade.dev/v1, which is not served: add that kind',
  ]);
  const second = shown(stored);
  expect(about(stored, second, shown(second, {version: 'v3'}))).toEqual([
    'Thing of test.palisade.dev/v3 is stored as Thing of test.palisade.dev/v2, which has no objects: name the kind that has them',
  ]);
  expect(about(stored, shown(stored, {namespaced: false}))).toEqual([
    'Thing of test.palisade.dev/v2 is stored as Thing of test.palisade.dev/v1, but only one of them is in a namespace',
  ]);
});
