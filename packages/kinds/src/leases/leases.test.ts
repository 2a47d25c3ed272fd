// SPDX-License-Identifier: Apache-2.0
/** Leases as kube-apiserver takes them. */
import {MemoryApi, type Resource} from '@palisade/apiserver/testing';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {namespacesKind} from '../namespaces/kind.ts';
import {leasesKind} from './kind.ts';
import type {LeaseSpec} from './types.ts';
import {validateLeaseSpec} from './validate.ts';

let api: MemoryApi;
let leases: Resource;
beforeEach(async () => {
  api = await MemoryApi.open({kinds: [leasesKind, namespacesKind], compat: 'kubernetes'});
  await api.of(namespacesKind).make({name: 'default'});
  leases = api.of(leasesKind, 'default');
});
afterEach(() => api[Symbol.asyncDispose]());

const TIME = '2020-01-02T03:04:05.678901Z';
const SPEC = {holderIdentity: 'one', leaseDurationSeconds: 15, acquireTime: TIME, renewTime: TIME};

test('45-1 a renewal needs the version that it was made from', async () => {
  const made = await leases.make({name: 'a'}, {spec: SPEC});
  const renewed = {...made, spec: {...SPEC, renewTime: '2020-01-02T03:04:15.000000Z'}};
  expect((await leases.put('a', renewed)).body.spec).toEqual(renewed.spec);
  const [late, blind] = [await leases.put('a', renewed), await leases.put('a', {spec: SPEC})];
  expect([late.status, blind.status]).toEqual([409, 422]);
  expect(blind.body.message).toBe(
    'leases.coordination.k8s.io "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  );
});

test('45-1 the name of a finalizer need not be qualified', async () => {
  expect((await leases.post({name: 'a', finalizers: ['bad']})).status).toBe(201);
  expect((await leases.merge('a', {finalizers: ['worse']})).status).toBe(200);
  expect((await leases.merge('a', {finalizers: ['a b']})).status).toBe(422);
});

test('45-1 a PUT creates what is absent', async () => {
  const {status, body} = await leases.put('a', {spec: SPEC});
  expect([status, body.spec]).toEqual([201, SPEC]);
});

test('45-1 the fields of coordinated leader election are dropped, and owned nevertheless', async () => {
  const made = await leases.make({name: 'a'}, {spec: {strategy: 'x', preferredHolder: 'y'}});
  expect(made.spec).toEqual({});
  expect(made.metadata.managedFields[0].fieldsV1).toEqual({'f:spec': {'f:preferredHolder': {}, 'f:strategy': {}}});
  expect((await leases.patch('a', 'merge', {spec: {strategy: 'a/b/c'}})).body.spec).toEqual({});
});

test.each(['2020-01-02T03:04:05Z', '2020-01-02T03:04:05.5Z'])(
  '45-1 %s is no time: it lacks digits',
  async renewTime => {
    const {status, body} = await leases.post({name: 'a'}, {spec: {renewTime}});
    expect([status, body.message]).toEqual([400, expect.stringContaining(`parsing time "${renewTime}" as`)]);
  },
);

test('45-1 times are answered in UTC', async () => {
  const made = await leases.make({name: 'a'}, {spec: {renewTime: '2020-01-02T05:04:05.000001+02:00'}});
  expect(made.spec.renewTime).toBe('2020-01-02T03:04:05.000001Z');
});

describe('45-1 the rules of the spec', () => {
  const faults = (spec: LeaseSpec): string[] =>
    validateLeaseSpec(spec).map(({path, type, detail}) => `${path}: ${type}: ${detail}`);

  test.each<LeaseSpec>([
    {},
    SPEC,
    {leaseDurationSeconds: 1, leaseTransitions: 0, holderIdentity: ''},
    {strategy: 'OldestEmulationVersion', preferredHolder: 'p'},
    {strategy: 'example.com/Mine', preferredHolder: ''},
    {preferredHolder: ''},
  ])('%j is good', spec => expect(faults(spec)).toEqual([]));

  test.each<[LeaseSpec, readonly string[]]>([
    [
      {leaseDurationSeconds: 0, leaseTransitions: -1},
      [
        'spec.leaseDurationSeconds: FieldValueInvalid: must be greater than 0',
        'spec.leaseTransitions: FieldValueInvalid: must be greater than or equal to 0',
      ],
    ],
    [{strategy: 'x'}, ['spec.strategy.strategy: FieldValueNotSupported: supported values: "OldestEmulationVersion"']],
    [
      {strategy: '', preferredHolder: 'p'},
      [
        'spec.strategy.strategy: FieldValueNotSupported: supported values: "OldestEmulationVersion"',
        'spec.preferredHolder: FieldValueForbidden: may only be specified if `strategy` is defined',
      ],
    ],
    [{strategy: '/a'}, ['spec.strategy.strategy: FieldValueInvalid: prefix part must be non-empty']],
    [
      {preferredHolder: 'p'},
      ['spec.preferredHolder: FieldValueForbidden: may only be specified if `strategy` is defined'],
    ],
  ])('%j is refused', (spec, texts) => expect(faults(spec)).toEqual(texts));
});

test('45-1 the table shows the holder', () => {
  const {columns, cells} = leasesKind.strategy.table;
  expect(columns.map(({name}) => name)).toEqual(['Name', 'Holder', 'Age']);
  expect(cells({metadata: {name: 'a'}, spec: {holderIdentity: 'me'}} as never, 0)).toEqual(['a', 'me', '<unknown>']);
  expect(cells({metadata: {name: 'a'}} as never, 0)).toEqual(['a', '', '<unknown>']);
});
