// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {toConditions} from './conditions.ts';

const REMAINS = {counts: new Map([['endpoints.', 1]]), finalizers: new Map([['a.b/c', 1]]), failures: []};
const NOW = '2026-01-02T03:04:05Z';
const OLD = '2020-01-01T00:00:00Z';
const TYPES = [
  'NamespaceDeletionDiscoveryFailure',
  'NamespaceDeletionGroupVersionParsingFailure',
  'NamespaceDeletionContentFailure',
  'NamespaceContentRemaining',
  'NamespaceFinalizersRemaining',
];

test('a namespace without conditions gets all five', () => {
  const conditions = toConditions([], REMAINS, NOW);
  expect(conditions.map(({type}) => type)).toEqual(TYPES);
  expect(conditions.map(({status}) => status)).toEqual(['False', 'False', 'False', 'True', 'True']);
});

test('conditions of others stay, and ours are changed where they are', () => {
  const before = [
    {type: 'Other', status: 'True', lastTransitionTime: null},
    {type: 'NamespaceFinalizersRemaining', status: 'True', lastTransitionTime: OLD, reason: 'x', message: 'x'},
    {type: 'NamespaceContentRemaining', status: 'False', lastTransitionTime: OLD},
  ];
  const conditions = toConditions(before, REMAINS, NOW);
  expect(conditions.map(({type}) => type)).toEqual([
    'Other',
    'NamespaceFinalizersRemaining',
    'NamespaceContentRemaining',
    ...TYPES.slice(0, 3),
  ]);
  expect(conditions[0]).toEqual(before[0]);
  expect(conditions[1]).toMatchObject({lastTransitionTime: OLD, reason: 'SomeFinalizersRemain'});
  expect(conditions[2]).toMatchObject({status: 'True', lastTransitionTime: NOW, reason: 'SomeResourcesRemain'});
});
