// SPDX-License-Identifier: Apache-2.0
import type {KubeObject} from '@palisade/apiserver';
import {expect, test} from 'vitest';
import {roleBindingsKind} from './kinds.ts';
import {type Binding, RBAC_GROUP, type Subject} from './types.ts';

const withSubjects = (subjects: Subject[]): Binding => ({metadata: {}, subjects, roleRef: {name: 'r'}}) as KubeObject;

test('defaults of a binding leave lists alone that it may share with the live object', () => {
  const shared = Object.freeze([Object.freeze({kind: 'User', name: 'bob'}), Object.freeze({kind: 'ServiceAccount'})]);
  const draft = withSubjects(shared as unknown as Subject[]);
  roleBindingsKind.applyDefaults?.(draft);
  expect(draft.subjects).toEqual([{kind: 'User', name: 'bob', apiGroup: RBAC_GROUP}, {kind: 'ServiceAccount'}]);
  expect(draft.roleRef).toEqual({name: 'r', apiGroup: RBAC_GROUP});
});

test('a binding that lacks nothing keeps its lists as they are', () => {
  const subjects = [{kind: 'Group', name: 'dev', apiGroup: RBAC_GROUP}];
  const draft = withSubjects(subjects);
  roleBindingsKind.applyDefaults?.(draft);
  expect(draft.subjects).toBe(subjects);
});
