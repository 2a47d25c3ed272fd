// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {withoutSecretValues} from './without-secret-values.ts';

const COPY = 'kubectl.kubernetes.io/last-applied-configuration';

test('45-1 a Secret keeps keys, sizes and metadata, and no value, not even in the copy that kubectl apply keeps', () => {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {name: 'a', annotations: {note: 'kept', [COPY]: '{"stringData":{"password":"hunter2"}}'}},
    type: 'Opaque',
    data: {password: 'aHVudGVyMg==', empty: ''},
    stringData: {text: 'été'},
  };
  expect(withoutSecretValues(secret)).toEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {name: 'a', annotations: {note: 'kept'}},
    type: 'Opaque',
    data: {password: '7 bytes', empty: '0 bytes'},
    stringData: {text: '5 bytes'},
  });
});

test('45-1 objects of other kinds stay as they are', () => {
  const map = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'a'}, data: {k: 'v'}};
  expect(withoutSecretValues(map)).toBe(map);
});
