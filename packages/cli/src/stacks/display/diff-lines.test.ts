// SPDX-License-Identifier: Apache-2.0

import type {ResourceState, Step} from '@palisade/engine';
import {emptyState} from '@palisade/engine/testing';
import {type PropertyMap, Secret, UNKNOWN} from '@palisade/provider';
import {describe, expect, test} from 'vitest';
import {diffLines} from './diff-lines.ts';

const urn = 'urn:pulumi:dev::p::fake:index:Thing::a';
const stateOf = (inputs: PropertyMap, outputs: PropertyMap = {}): ResourceState => ({
  ...emptyState(urn, 'fake:index:Thing'),
  inputs,
  outputs,
});
type Detail = NonNullable<Step['detailedDiff']>[string];
const update = (before: PropertyMap, after: PropertyMap, detailedDiff: Record<string, Detail['kind']>): Step => ({
  op: 'update',
  urn,
  old: stateOf(before),
  next: stateOf(after),
  detailedDiff: Object.fromEntries(Object.entries(detailedDiff).map(([path, kind]) => [path, {kind, inputDiff: true}])),
});
const lines = (step: Step, showSecrets = false): string[] => diffLines(step, {showSecrets});

describe('a changed property', () => {
  test('has its path and both values; what is added or gone has one', () => {
    const before = {metadata: {labels: {app: 'web', old: 'x'}}, ports: [80]};
    const after = {metadata: {labels: {app: 'shop', 'a/b': true}}, ports: [80, {port: 81}]};
    const kinds = {
      'metadata.labels.app': 'update',
      'metadata.labels["a/b"]': 'add',
      'metadata.labels.old': 'delete',
      'ports[1]': 'add',
    } as const;
    expect(lines(update(before, after, kinds))).toEqual([
      '~ metadata.labels.app: "web" => "shop"',
      '+ metadata.labels["a/b"]: true',
      '- metadata.labels.old: "x"',
      '+ ports[1]: {"port":81}',
    ]);
  });

  test('that forces a replacement says so', () => {
    const step = update({key: 'k1'}, {key: 'k2'}, {key: 'update-replace'});
    expect(lines({...step, op: 'replace'})).toEqual(['~ key (replaces): "k1" => "k2"']);
  });

  test('is compared with the object itself where the provider did that', () => {
    const step: Step = {
      op: 'update',
      urn,
      old: stateOf({size: 1}, {size: 3}),
      next: stateOf({size: 1}, {size: 1}),
      detailedDiff: {size: {kind: 'update', inputDiff: false}},
    };
    expect(lines(step)).toEqual(['~ size: 3 => 1']);
  });

  test('that is not known before it is made says so', () => {
    expect(lines(update({id: 'a'}, {id: UNKNOWN}, {id: 'update'}))).toEqual(['~ id: "a" => [unknown]']);
    expect(lines(update({ids: []}, {ids: ['a', UNKNOWN]}, {ids: 'update'}))).toEqual(['~ ids: [] => ["a",[unknown]]']);
  });

  test('with long values has lines of their own', () => {
    const [was, is] = ['a'.repeat(60), 'b'.repeat(60)];
    expect(lines(update({text: was}, {text: is}, {text: 'update'}))).toEqual([
      '~ text:',
      `    - "${was}"`,
      `    + "${is}"`,
    ]);
  });

  test('of something without a provider is told by its reasons; reasons that are no property are left out', () => {
    const step = update({a: 1, gone: 2}, {a: 2, fresh: 3}, {});
    expect(lines({...step, diffReasons: ['a', 'gone', 'fresh', 'provider']})).toEqual([
      '~ a: 1 => 2',
      '- gone: 2',
      '+ fresh: 3',
    ]);
  });
});

describe('secrets', () => {
  const before = {
    password: new Secret('hidden-1'),
    deep: new Secret({token: 'hidden-2'}),
    list: [new Secret('hidden-3')],
  };
  const after = {password: new Secret('hidden-4'), deep: new Secret({token: 'hidden-5'}), list: []};
  const step = update(before, after, {password: 'update', 'deep.token': 'update', list: 'update'});

  test('stay hidden, also inside of what is secret as a whole', () => {
    expect(lines(step)).toEqual([
      '~ password: [secret] => [secret]',
      '~ deep.token: [secret] => [secret]',
      '~ list: ["[secret]"] => []',
    ]);
    expect(lines({op: 'create', urn, next: stateOf(before)}).join()).not.toContain('hidden');
    expect(lines({op: 'delete', urn, old: stateOf(before)}).join()).not.toContain('hidden');
  });

  test('are shown when asked for', () => {
    expect(lines(step, true)).toContain('~ password: "hidden-1" => "hidden-4"');
  });
});

test('a created and a deleted resource show what they have, without what the engine notes', () => {
  const inputs = {name: 'a', value: {x: [1]}, __internal: {}, __defaults: []};
  expect(lines({op: 'create', urn, next: stateOf(inputs)})).toEqual(['+ name: "a"', '+ value: {"x":[1]}']);
  expect(lines({op: 'delete', urn, old: stateOf(inputs)})).toEqual(['- name: "a"', '- value: {"x":[1]}']);
  expect(lines({op: 'same', urn, old: stateOf(inputs), next: stateOf(inputs)})).toEqual([]);
});
