// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {keepTimesIfUnchanged} from './keep-times.ts';

const entryAt = (time: string) => ({
  manager: 'm',
  operation: 'Update',
  apiVersion: 'rbac.authorization.k8s.io/v1',
  time,
  fieldsType: 'FieldsV1',
  fieldsV1: {'f:rules': {}},
});
const roleAt = (time: string) => ({metadata: {name: 'a', managedFields: [entryAt(time)]}, rules: null});
const [THEN, NOW] = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:05Z'];
const KIND = {kind: 'Role', apiVersion: 'rbac.authorization.k8s.io/v1'};

test('an update that leaves out kind and version changes nothing by that', () => {
  const kept = keepTimesIfUnchanged({...KIND, ...roleAt(THEN)}, roleAt(NOW), true);
  expect(kept).toMatchObject(roleAt(THEN));
});

test('an update that changes something has its own time', () => {
  const next = {...roleAt(NOW), rules: [{verbs: ['get']}]};
  expect(keepTimesIfUnchanged({...KIND, ...roleAt(THEN)}, next, true)).toBe(next);
});
