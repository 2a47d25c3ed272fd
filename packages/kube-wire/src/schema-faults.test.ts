// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {kubeTypes} from './gen/kube-types.ts';
import type {Field, FieldType, TypeTable} from './schema.ts';
import {schemaFaults} from './schema-faults.ts';

const STRING: FieldType = {type: 'string'};
const part: FieldType = {type: 'ref', ref: 'v1.Part'};
const PART = [{name: 'key', type: STRING}, {name: 'more', type: {type: 'map', value: STRING}} as const];

type Given = {readonly name?: string; readonly type: FieldType; readonly proto?: number};

const struct = (name: string, fields: readonly Given[]): TypeTable => ({
  [name]: {
    name,
    doc: '',
    fields: fields.map((given, index): Field => ({name: 'x', proto: index + 1, go: '', doc: '', ...given})),
  },
});

const faultsOf = (...fields: readonly Given[]): readonly string[] =>
  schemaFaults({...struct('v1.Part', PART), ...struct('v1.Thing', fields)}, ['v1.Thing']);

test('what upstream has is sound, but for the lists of discovery, which nobody owns', () => {
  const faults = schemaFaults(kubeTypes, Object.keys(kubeTypes));
  expect(faults.filter(fault => !fault.startsWith('io.k8s.api.apidiscovery.'))).toEqual([]);
});

test.each<[string, Given, string]>([
  [
    'a type that is not there',
    {type: {type: 'ref', ref: 'v1.Gone'}},
    'refers to v1.Gone, but its type table has no such type: add it to `types`',
  ],
  [
    'one in a map of lists',
    {
      type: {
        type: 'map',
        value: {type: 'list', wrapped: true, listType: 'atomic', item: {type: 'ref', ref: 'toString'}},
      },
    },
    'refers to toString, but its type table has no such type: add it to `types`',
  ],
  ['no protobuf number', {type: STRING, proto: -1}, 'has proto -1: use a whole number from 1 to 536870911'],
  [
    'a map without keys',
    {type: {type: 'list', item: part, listType: 'map'}},
    'is a list of type map without keys: set `mapKeys`',
  ],
  [
    'a map of scalars',
    {type: {type: 'list', item: STRING, listType: 'map', mapKeys: ['key']}},
    'is a list of type map without structs: make it a set',
  ],
  [
    'keys of a set',
    {type: {type: 'list', item: STRING, listType: 'set', mapKeys: ['key']}},
    'has mapKeys, but is a list of type set: make it a map',
  ],
  [
    'a set of structs',
    {type: {type: 'list', item: part, listType: 'set'}},
    'is a set of non-scalar items: make it a map or atomic',
  ],
  [
    'a key that the items lack',
    {type: {type: 'list', item: part, listType: 'map', mapKeys: ['name']}},
    'has the key name, but v1.Part has no such field: use an existing field',
  ],
  [
    'a key that has parts',
    {type: {type: 'list', item: part, listType: 'map', mapKeys: ['more']}},
    'has the key more, which is not a scalar: use another field',
  ],
  [
    'a merge without a key',
    {type: {type: 'list', item: part, listType: 'atomic', patchStrategy: 'merge'}},
    'merges structs without a key: set `patchMergeKey`',
  ],
  [
    'a key without a merge',
    {type: {type: 'list', item: part, listType: 'atomic', patchMergeKey: 'key'}},
    "has a patchMergeKey without effect: add `patchStrategy: 'merge'`",
  ],
  [
    'a merge key that the items lack',
    {type: {type: 'list', item: part, listType: 'atomic', patchStrategy: 'merge', patchMergeKey: 'id'}},
    'has the key id, but v1.Part has no such field: use an existing field',
  ],
  [
    'lists in a list',
    {type: {type: 'list', listType: 'atomic', item: {type: 'list', listType: 'atomic', item: STRING}}},
    'contains lists directly, which protobuf cannot encode: put them into a struct',
  ],
  [
    'maps in a map',
    {type: {type: 'map', value: {type: 'map', value: STRING}}},
    'contains maps directly, which protobuf cannot encode: put them into a struct',
  ],
])('%s', (_, field, fault) => {
  expect(faultsOf(field)).toEqual([`v1.Thing.x ${fault}`]);
});

test('names and numbers that are there twice, and names that every object has, are told at once', () => {
  const fields = ['a', 'a', 'constructor', '__proto__'].map((name, index) => ({
    name,
    type: STRING,
    proto: Math.min(index + 1, 3),
  }));
  expect(faultsOf(...fields)).toEqual([
    'v1.Thing.a is defined twice: remove one',
    'v1.Thing.__proto__ has proto 3, also used by constructor: use another number',
    'v1.Thing.constructor has the name of a built-in member of JavaScript objects: rename it',
    'v1.Thing.__proto__ has the name of a built-in member of JavaScript objects: rename it',
  ]);
});

test('a struct that holds itself is looked at once, and what is not reached not at all', () => {
  const types = {
    ...struct('v1.Node', [
      {name: 'next', type: {type: 'ref', ref: 'v1.Node'}},
      {name: 'none', type: STRING, proto: 0},
      {name: 'nor', type: STRING, proto: 0},
    ]),
    ...struct('v1.Alone', [{type: {type: 'ref', ref: 'v1.Gone'}}]),
  };
  expect(schemaFaults(types, ['v1.Node'])).toEqual([]);
  expect(schemaFaults(types, ['v1.Lost'])).toEqual([
    'the kind refers to v1.Lost, but its type table has no such type: add it to `types`',
  ]);
});
