// SPDX-License-Identifier: Apache-2.0
/** The rules of metadata that hold for every kind. Ref: requirements E-110 to E-145, E-152 to E-155, E-190 to E-192. */
import {describe, expect, test} from 'vitest';
import type {ObjectMeta, OwnerReference} from '../../base/object.ts';
import {sampleKind} from '../../testing/sample-kind.ts';
import {generateName} from './generate-name.ts';
import {validateObjectMeta, validateObjectMetaUpdate} from './validate-object-meta.ts';

const kind = sampleKind();
const META: ObjectMeta = {name: 'a', namespace: 'one'};
const OWNER: OwnerReference = {apiVersion: 'example.com/v1', kind: 'Thing', name: 'own', uid: 'u'};

/** Fields of the faults, each once, without `metadata.`. */
const faults = (meta: ObjectMeta): string[] => [
  ...new Set(validateObjectMeta({...META, ...meta}, kind).map(({path}) => path.replace('metadata.', ''))),
];
const texts = (meta: ObjectMeta): string[] =>
  validateObjectMeta({...META, ...meta}, kind).map(({detail}) => detail ?? '');

test.each<[string, string, readonly ObjectMeta[]]>([
  ['E-145', 'names', ['a.b', '1', 'a'.repeat(253)].map(name => ({name}))],
  ['E-132', 'prefixes', ['x-', 'x', 'a.b-'].map(generateName => ({generateName}))],
  ['E-138', 'labels', [{labels: {app: 'x', 'example.com/y': 'z', e: ''}}]],
  ['E-138', 'annotations', [{annotations: {'Example.com/B': 'x'}}, {annotations: {a: 'v'.repeat(256 * 1024 - 1)}}]],
  [
    'E-126',
    'finalizers',
    ['example.com/Mixed-Case_1', 'orphan', 'foregroundDeletion'].map(each => ({finalizers: [each]})),
  ],
  ['E-155', 'owners', [{ownerReferences: [OWNER, {...OWNER, uid: 'x', controller: true}]}]],
])('%s accepts good %s', (_, __, metas) => {
  for (const meta of metas) expect([meta, faults(meta)]).toEqual([meta, []]);
});

test.each<[string, string, readonly ObjectMeta[]]>([
  ['E-143', 'name', [{name: ''}]],
  ['E-145', 'name', ['A', 'a_b', '-a', 'a..b', 'a/b', '.', 'a'.repeat(254)].map(name => ({name}))],
  ['E-132', 'generateName', ['Bad_', 'x.', '-a'].map(generateName => ({generateName}))],
  ['E-148', 'namespace', ['Bad', 'a.b', '-a'].map(namespace => ({namespace}))],
  [
    'E-138',
    'labels',
    [
      ...['', 'a b', 'example.com/', '/x', 'a/b/c', 'a'.repeat(64), 'UPPER.com/a'].map(key => ({labels: {[key]: 'x'}})),
      ...['a b', 'v'.repeat(64), '-x'].map(value => ({labels: {x: value}})),
    ],
  ],
  [
    'E-138',
    'annotations',
    [
      ...['', 'a b', 'a/b/c', '_a'].map(key => ({annotations: {[key]: 'x'}})),
      {annotations: {a: 'v'.repeat(256 * 1024)}},
    ],
  ],
  ['E-155', 'ownerReferences', [{ownerReferences: [{...OWNER, apiVersion: 'v1', kind: 'Event'}]}]],
])('%s refuses a bad %s: %j', (_, field, metas) => {
  for (const meta of metas) expect([meta, faults(meta)]).toEqual([meta, [field]]);
});

test.each(['x', '', 'a/b/c', 'Bad_/x'])('E-126 refuses the finalizer "%s"', finalizer => {
  expect(faults({finalizers: [finalizer]})[0]).toMatch(/^finalizers/);
});

test.each(['apiVersion', 'kind', 'name', 'uid'] as const)('E-191 an owner needs %s', field => {
  expect(faults({ownerReferences: [{...OWNER, [field]: ''}]})).toEqual([`ownerReferences.${field}`]);
});

test('E-155 E-191 one controller at most, and no Event, is an owner', () => {
  const controllers = ['own', 'own2'].map(name => ({...OWNER, name, controller: true}));
  expect(texts({ownerReferences: controllers})).toEqual([
    'Only one reference can have Controller set to true. Found "true" in references for Thing/own and Thing/own2',
  ]);
  expect(texts({ownerReferences: [{...OWNER, apiVersion: 'v1', kind: 'Event'}]})).toEqual([
    '/v1, Kind=Event is disallowed from being an owner',
  ]);
});

describe('updates', () => {
  const changed = (next: ObjectMeta, before: ObjectMeta = {}): string[] => [
    ...new Set(
      validateObjectMetaUpdate({...META, ...next}, {...META, ...before}, kind, {own: [], changes: []}).map(
        ({path, detail}) => `${path}: ${detail}`,
      ),
    ),
  ];
  const MARK = {deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30};

  test.each<[string, keyof ObjectMeta, unknown]>([
    ['E-165', 'uid', 'other'],
    ['E-123 E-236', 'deletionTimestamp', '2027-01-01T00:00:00Z'],
    ['E-121 E-236', 'deletionGracePeriodSeconds', 99],
  ])('%s %s cannot be set or changed', (_, field, value) => {
    for (const before of [{}, MARK])
      expect(changed({...before, [field]: value}, before)).toEqual([`metadata.${field}: field is immutable`]);
  });

  test('E-127 E-128 while an object is being deleted finalizers only go, in any order', () => {
    const before = {...MARK, finalizers: ['a/a', 'a/b', 'a/c']};
    for (const finalizers of [['a/c', 'a/a', 'a/b'], ['a/b'], []])
      expect(changed({...before, finalizers}, before)).toEqual([]);
    expect(changed({...before, finalizers: ['a/d', 'a/a']}, before)).toEqual([
      'metadata.finalizers: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a/d"}',
    ]);
    expect(changed({finalizers: ['a/d']}, {finalizers: ['a/a']})).toEqual([]);
  });
});

test.each([
  ['gen-', 'gen-bbbbb'],
  ['a'.repeat(253), `${'a'.repeat(58)}bbbbb`],
])('E-130 E-131 the prefix %s, cut so that the name has 63 characters, and five more', (prefix, name) => {
  expect(generateName(prefix, {next: () => 0, uuid: () => '', bytes: () => new Uint8Array()})).toBe(name);
  expect(generateName(prefix, {next: () => 0.999, uuid: () => '', bytes: () => new Uint8Array()}).slice(-5)).toBe(
    '99999',
  );
});
