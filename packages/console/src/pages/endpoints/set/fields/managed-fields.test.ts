// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {fieldPaths, managedFieldsOf, managersOf, matchingFields} from './managed-fields.ts';

const FIELDS = {
  'f:metadata': {'f:labels': {'.': {}, 'f:app': {}, 'f:a.example/b': {}}, 'f:finalizers': {'v:"x"': {}}},
  'f:ports': {'k:{"port":80,"protocol":"TCP"}': {'.': {}, 'f:name': {}}},
  'f:subsets': {},
};

test('49-3 paths of managedFields as people read them', () => {
  expect(fieldPaths(FIELDS)).toEqual([
    'metadata.labels',
    'metadata.labels.app',
    'metadata.labels["a.example/b"]',
    'metadata.finalizers[="x"]',
    'ports[port=80,protocol=TCP]',
    'ports[port=80,protocol=TCP].name',
    'subsets',
  ]);
  expect(fieldPaths(undefined)).toEqual([]);
});

test('49-3 a field that two managers have is there twice; filters are by text and by manager', () => {
  const fields = managedFieldsOf([
    {manager: 'deployer', operation: 'Update', fieldsV1: {'f:subsets': {}}},
    {manager: 'terraform', operation: 'Apply', fieldsV1: {'f:subsets': {}, 'f:metadata': {'f:labels': {'f:app': {}}}}},
  ]);
  expect(fields.map(({field, manager}) => `${field} ${manager}`)).toEqual([
    'metadata.labels.app terraform',
    'subsets deployer',
    'subsets terraform',
  ]);
  expect(managersOf(fields)).toEqual([
    {name: 'terraform', fields: 2},
    {name: 'deployer', fields: 1},
  ]);
  expect(matchingFields(fields, 'SUBSETS', 'terraform')).toHaveLength(1);
  expect(matchingFields(fields, 'apply', '')).toHaveLength(2);
});
