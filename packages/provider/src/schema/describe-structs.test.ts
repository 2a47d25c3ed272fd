// SPDX-License-Identifier: Apache-2.0
import type {Field, StructType, TypeTable} from '@palisade/kube-wire';
import {expect, test} from 'vitest';
import {describeStructs} from './describe-structs.ts';

const field = (name: string, type: Field['type'], more: Partial<Field> = {}): Field => ({
  name,
  type,
  proto: 1,
  go: 'any',
  doc: `The ${name}.`,
  ...more,
});
const struct = (name: string, ...fields: readonly Field[]): StructType => ({name, doc: `A ${name}.`, fields});
const tableOf = (...structs: readonly StructType[]): TypeTable =>
  Object.fromEntries(structs.map(each => [each.name, each]));
const describe = (types: TypeTable, without: Readonly<Record<string, readonly string[]>> = {}) =>
  describeStructs({types, roots: ['x.y.Spec'], modules: {'x.y': 'x/y', z: 'z'}, without});

test('46-5 docs, defaults, pointers and references become those of the package; nothing is required', () => {
  const types = tableOf(
    struct(
      'x.y.Spec',
      field('port', {type: 'integer', format: 'int32'}, {required: true, keepEmpty: true}),
      field('bundle', {type: 'string', format: 'byte'}, {default: 'TCP'}),
      field('check', {type: 'ref', ref: 'z.Check'}, {pointer: true}),
      field('labels', {type: 'map', value: {type: 'string'}}),
      field('own', {type: 'list', item: {type: 'ref', ref: 'x.y.Spec'}, listType: 'atomic'}),
    ),
    struct('z.Check', field('on', {type: 'boolean'})),
    struct('x.y.Unused'),
  );
  expect(describe(types)).toEqual({
    'x/y:Spec': {
      doc: 'A x.y.Spec.',
      properties: {
        port: {type: {kind: 'integer'}, doc: 'The port.'},
        bundle: {type: {kind: 'string'}, doc: 'The bundle. In Base64.', default: 'TCP'},
        check: {type: {kind: 'ref', to: 'z:Check'}, doc: 'The check.', keepsEmpty: true},
        labels: {type: {kind: 'map', of: {kind: 'string'}}, doc: 'The labels.'},
        own: {type: {kind: 'list', of: {kind: 'ref', to: 'x/y:Spec'}}, doc: 'The own.'},
      },
    },
    'z:Check': {doc: 'A z.Check.', properties: {on: {type: {kind: 'boolean'}, doc: 'The on.'}}},
  });
});

test('46-5 a field that is left out takes the structs along that only it names', () => {
  const types = tableOf(
    struct('x.y.Spec', field('check', {type: 'ref', ref: 'z.Check'}), field('name', {type: 'string'})),
    struct('z.Check'),
  );
  expect(describe(types, {'x.y.Spec': ['check']})).toEqual({
    'x/y:Spec': {doc: 'A x.y.Spec.', properties: {name: {type: {kind: 'string'}, doc: 'The name.'}}},
  });
});

test.each<[string, TypeTable, string]>([
  ['a struct that is missing', tableOf(struct('x.y.Spec', field('a', {type: 'ref', ref: 'z.None'}))), 'type table'],
  ['a prefix without a module', tableOf(struct('x.y.Spec', field('a', {type: 'ref', ref: 'q.Other'}))), 'no module'],
  ['a type that packages lack', tableOf(struct('x.y.Spec', field('a', {type: 'quantity'}))), 'quantity'],
])('46-5 %s is refused', (_name, types, words) => {
  expect(() => describe(types)).toThrow(words);
});
