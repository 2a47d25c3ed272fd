// SPDX-License-Identifier: Apache-2.0

import {expect, it} from 'vitest';
import type {Json} from '../schema.ts';
import {malformedEntryFaults} from './index.ts';

const GOOD = {manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {'f:a': {}}};

it.each<[string, Json, readonly string[]]>([
  ['a good entry', [GOOD], []],
  ['an entry without fields', [{...GOOD, fieldsV1: null}], []],
  ['a reset', [{}], []],
  ['another reset', [], []],
  ['a reset with what no entry has', [{zz: 1, fieldsV1: null, manager: ''}], []],
  [
    'fields that are an empty text and nothing else',
    [{fieldsV1: ''}],
    ['operation', 'apiVersion', 'fieldsType', 'fieldsV1'].map(f => `metadata.managedFields[0].${f}`),
  ],
  ['nothing', null, []],
  ['an unknown operation', [{...GOOD, operation: 'Patch'}], ['metadata.managedFields[0].operation']],
  ['another type of fields', [GOOD, {...GOOD, fieldsType: 'FieldsV2'}], ['metadata.managedFields[1].fieldsType']],
  ['no version', [{...GOOD, apiVersion: ''}], ['metadata.managedFields[0].apiVersion']],
  ['fields that are text', [{...GOOD, fieldsV1: 'x'}], ['metadata.managedFields[0].fieldsV1']],
  ['a step without a kind', [{...GOOD, fieldsV1: {labels: {}}}], ['metadata.managedFields[0].fieldsV1']],
  ['a key that is no JSON', [{...GOOD, fieldsV1: {'f:a': {'k:{': {}}}}], ['metadata.managedFields[0].fieldsV1']],
  [
    'a value that is too deep',
    [{...GOOD, fieldsV1: {[`v:${'['.repeat(5_000)}${']'.repeat(5_000)}`]: {}}}],
    ['metadata.managedFields[0].fieldsV1'],
  ],
  ['a value beyond any float', [{...GOOD, fieldsV1: {'v:1e999 x': {}}}], ['metadata.managedFields[0].fieldsV1']],
  [
    'an index beyond 64 bits',
    [{...GOOD, fieldsV1: {'i:9223372036854775808': {}}}],
    ['metadata.managedFields[0].fieldsV1'],
  ],
  [
    'an index of a million digits',
    [{...GOOD, fieldsV1: {[`i:${'9'.repeat(1_000_000)}`]: {}}}],
    ['metadata.managedFields[0].fieldsV1'],
  ],
  ['an index with a million zeros in front', [{...GOOD, fieldsV1: {[`i:-${'0'.repeat(1_000_000)}1`]: {}}}], []],
  ['no list', {}, ['metadata.managedFields']],
  ['an entry that is none', [1], ['metadata.managedFields[0]']],
  [
    'all faults at once',
    [{operation: 'x', fieldsType: 'y', fieldsV1: 1}],
    ['operation', 'apiVersion', 'fieldsType', 'fieldsV1'].map(f => `metadata.managedFields[0].${f}`),
  ],
])('E-211 E-220 finds the faults of %s', (_, sent, paths) => {
  expect(malformedEntryFaults(sent).map(({path}) => path)).toEqual(paths);
});
