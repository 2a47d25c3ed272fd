// SPDX-License-Identifier: Apache-2.0
import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {generateKubeOpenApi, generateKubeTypes} from '../../../tools/gen-kube.ts';
import {kubeTypes} from './gen/kube-types.ts';
import type {FieldType} from './schema.ts';

const committed = (name: string) => readFileSync(new URL(`./gen/${name}`, import.meta.url), 'utf8');

test('the committed tables are what the generator makes', () => {
  expect(generateKubeTypes()).toBe(committed('kube-types.ts'));
  expect(generateKubeOpenApi()).toBe(committed('kube-openapi.ts'));
});

test('every reference of a type leads to a type, and field numbers are used once', () => {
  const refs = (type: FieldType): string[] => {
    if (type.type === 'ref') return [type.ref];
    if (type.type === 'list') return refs(type.item);
    return type.type === 'map' ? refs(type.value) : [];
  };
  for (const {name, fields} of Object.values(kubeTypes)) {
    for (const ref of fields.flatMap(f => refs(f.type))) expect(kubeTypes, `${name} → ${ref}`).toHaveProperty([ref]);
    const numbers = fields.map(f => f.proto).filter(n => n > 0);
    expect(new Set(numbers).size, name).toBe(numbers.length);
    expect(new Set(fields.map(f => f.name)).size, name).toBe(fields.length);
  }
});

test('E-221 subsets are one atomic list, as v1.36 declares', () => {
  const subsets = kubeTypes['io.k8s.api.core.v1.Endpoints']?.fields.find(f => f.name === 'subsets');
  expect(subsets?.type).toMatchObject({type: 'list', listType: 'atomic'});
  expect(subsets?.type).not.toHaveProperty('implicit');
  expect(subsets?.type).not.toHaveProperty('patchStrategy');
});

test('metadata is in the order of the wire', () => {
  const fields = kubeTypes['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta']?.fields.map(f => f.name);
  expect(fields).toEqual([
    'name',
    'generateName',
    'namespace',
    'selfLink',
    'uid',
    'resourceVersion',
    'generation',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
    'labels',
    'annotations',
    'ownerReferences',
    'finalizers',
    'managedFields',
  ]);
});
