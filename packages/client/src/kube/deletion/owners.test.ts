// SPDX-License-Identifier: Apache-2.0

import {expect, test} from 'vitest';
import type {KubeClient} from '../kube-client.ts';
import type {DeletionTarget} from './deletion.ts';
import {objectText} from './object-walk.ts';
import {ownersOf} from './owners.ts';

test('E-257 of an owner of core/v1, which modes judge differently, nothing is claimed', async () => {
  const owner = {apiVersion: 'core/v1', kind: 'Endpoints', name: 'o', uid: 'u'};
  const target = {namespace: 'shop', served: {kinds: []}} as unknown as DeletionTarget;
  const [state] = await ownersOf({} as KubeClient, target, {metadata: {ownerReferences: [owner]}});
  expect(state).toMatchObject({state: 'unknown', what: expect.stringContaining('v1 with --compat spec')});
});

test('E-197 an owner whose kind stands in lower case is looked for, as the server does', async () => {
  const owner = {apiVersion: 'v1', kind: 'configmap', name: 'o', uid: 'u'};
  const kind = {group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true, verbs: ['create']};
  const target = {namespace: 'shop', served: {kinds: [kind]}} as unknown as DeletionTarget;
  const client = {resource: () => ({get: async () => ({metadata: {uid: 'another'}})})} as unknown as KubeClient;
  const [state] = await ownersOf(client, target, {metadata: {ownerReferences: [owner]}});
  expect(state).toMatchObject({state: 'gone', what: expect.stringContaining('another')});
});

test('E-153 of an owner that exists it says until when the object remains', async () => {
  const owner = {apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u'};
  const kind = {group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true, verbs: ['create']};
  const target = {namespace: 'shop', served: {kinds: [kind]}} as unknown as DeletionTarget;
  const client = {resource: () => ({get: async () => ({metadata: {uid: 'u'}})})} as unknown as KubeClient;
  const [state] = await ownersOf(client, target, {metadata: {ownerReferences: [owner]}});
  expect(state).toMatchObject({state: 'kept', what: 'exists: this object remains until all its owners are gone'});
});

test.each([
  [[], false, ''],
  [['a.example/x', 'b.example/y'], true, ', finalizers a.example/x b.example/y, being deleted'],
])(
  'E-193 an object is named with what concerns its deletion: finalizers %j, deleted %s',
  (finalizers, deleted, rest) => {
    const object = {resource: 'endpoints', apiVersion: 'v1', kind: 'Endpoints', namespace: 'shop', name: 'web'};
    expect(objectText({...object, finalizers, deleted})).toBe(`endpoints/web in namespace shop${rest}`);
  },
);
