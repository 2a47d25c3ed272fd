// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {withoutSecretValues} from './without-secret-values.ts';

const MANIFEST = '{"stringData":{"password":"hunter2"}}';
const COPIES = [
  'kubectl.kubernetes.io/last-applied-configuration',
  'kapp.k14s.io/original',
  'objectset.rio.cattle.io/applied',
];

test('45-1 a Secret keeps keys, sizes and metadata, and no value, not even in the copies that tools keep in annotations', () => {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {name: 'a', labels: {app: 'web'}, annotations: Object.fromEntries(COPIES.map(key => [key, MANIFEST]))},
    type: 'Opaque',
    data: {password: 'aHVudGVyMg==', empty: ''},
    stringData: {text: 'été'},
  };
  const shown = withoutSecretValues(secret);
  expect(JSON.stringify(shown)).not.toContain('hunter2');
  expect(shown).toEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'a',
      labels: {app: 'web'},
      annotations: Object.fromEntries(COPIES.map(key => [key, `<hidden>, ${MANIFEST.length} bytes`])),
    },
    type: 'Opaque',
    data: {password: '7 bytes', empty: '0 bytes'},
    stringData: {text: '5 bytes'},
  });
});

test('45-1 objects of other kinds stay as they are', () => {
  const map = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'a'}, data: {k: 'v'}};
  expect(withoutSecretValues(map)).toBe(map);
});
