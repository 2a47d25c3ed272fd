// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import type {ResourceState} from '../state/resource-state.ts';
import {planOperation} from './operation-plan.ts';

const urn = (type: string, name: string): string => `urn:pulumi:s::p::${type}::${name}`;
const provider = (packageName: string, name: string, inputs: Record<string, string>) => ({
  urn: urn(`pulumi:providers:${packageName}`, name),
  type: `pulumi:providers:${packageName}`,
  custom: true,
  provider: '',
  inputs,
});
const object = (of: {urn: string}, external = false) => ({
  urn: urn('a:b:C', 'c'),
  type: 'a:b:C',
  custom: true,
  id: 'x',
  external,
  provider: `${of.urn}::id`,
  inputs: {},
  outputs: {d: 'e'},
});

const byDefault = provider('a', 'default_1_0_0', {server: 'x'});
const own = provider('a', 'mine', {kubeconfig: 'y'});
const resources = [
  {urn: urn('pulumi:pulumi:Stack', 'p-s'), type: 'pulumi:pulumi:Stack', custom: false, provider: '', inputs: {}},
  byDefault,
  own,
  object(byDefault),
  object(own),
  object(byDefault, true),
] as unknown as ResourceState[];
const plan = (kind: 'update' | 'destroy') =>
  planOperation({kind, stack: 's', config: new Set(['a:token', 'ab:c']), resources}).objects;

test('an update takes the configuration of default providers from the stack, all else from the state', () => {
  expect(plan('update')).toEqual([
    {type: 'a:b:C', id: 'x', outputs: {d: 'e'}, packageName: 'a', providerConfig: new Set(['token'])},
    {type: 'a:b:C', id: 'x', outputs: {d: 'e'}, packageName: 'a', providerConfig: new Set(['kubeconfig'])},
  ]);
  expect(plan('destroy')).toEqual([
    {type: 'a:b:C', id: 'x', outputs: {d: 'e'}, packageName: 'a', providerConfig: new Set(['server'])},
    {type: 'a:b:C', id: 'x', outputs: {d: 'e'}, packageName: 'a', providerConfig: new Set(['kubeconfig'])},
  ]);
});
