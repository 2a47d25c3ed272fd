// SPDX-License-Identifier: Apache-2.0

import {describe, expect, it} from 'vitest';
import {kubeTypes} from '../gen/kube-types.ts';
import type {Json, JsonObject} from '../schema.ts';
import {strategicMergePatch} from './index.ts';

const ref = (uid: string, more: object = {}) => ({kind: 'X', uid, ...more});
const LIVE: JsonObject = {
  metadata: {
    name: 'a',
    labels: {x: 'y', z: '1'},
    finalizers: ['f/1', 'f/2'],
    ownerReferences: [ref('u1'), ref('u2')],
  },
  subsets: [{addresses: [{ip: '10.0.0.1'}]}],
};

const run = (patch: Json, live = LIVE) => strategicMergePatch(live, patch, kubeTypes, 'io.k8s.api.core.v1.Endpoints');

function metadata(patch: JsonObject, live = LIVE): JsonObject {
  const result = run({metadata: patch}, live);
  if (!result.ok) throw new Error(`refused: ${result.fault.message}`);
  return (result.value as JsonObject)['metadata'] as JsonObject;
}

function fault(patch: Json) {
  const result = run(patch);
  if (result.ok) throw new Error('not refused');
  return result.fault;
}

describe('strategic merge patch', () => {
  it.each([
    ['aabbc', 'acb'],
    ['aacbb', 'abc'],
    ['caabb', 'cab'],
    ['abcab', 'abc'],
  ])('leaves the set %s that nothing is added to without its repeats, as upstream orders it', (live, left) => {
    const {finalizers} = metadata({finalizers: []}, {metadata: {name: 'a', finalizers: [...live]}});
    expect(finalizers).toEqual([...left]);
  });

  it("takes a long set as it comes: upstream's order of it takes the square of its length", () => {
    const live = Array.from({length: 50_000}, (_, i) => `f/${i >> 1}`);
    const {finalizers} = metadata({finalizers: []}, {metadata: {name: 'a', finalizers: live}});
    expect(finalizers).toEqual([...new Set(live)]);
  });

  it.each<[string, JsonObject, string, unknown]>([
    ['merges maps', {labels: {n: '1', z: null}}, 'labels', {x: 'y', n: '1'}],
    ['replaces a map', {labels: {$patch: 'replace', n: '1'}}, 'labels', {n: '1'}],
    ['empties a map', {labels: {$patch: 'delete'}}, 'labels', {}],
    ['adds to a set, without repeats', {finalizers: ['f/3', 'f/1']}, 'finalizers', ['f/3', 'f/1', 'f/2']],
    ['takes from a set', {'$deleteFromPrimitiveList/finalizers': ['f/1']}, 'finalizers', ['f/2']],
    [
      'orders a set',
      {'$setElementOrder/finalizers': ['f/3', 'f/2', 'f/1'], finalizers: ['f/3']},
      'finalizers',
      ['f/3', 'f/2', 'f/1'],
    ],
    [
      'merges items by their key',
      {ownerReferences: [{uid: 'u2', controller: true}]},
      'ownerReferences',
      [ref('u1'), ref('u2', {controller: true})],
    ],
    ['adds items', {ownerReferences: [ref('u3')]}, 'ownerReferences', [ref('u3'), ref('u1'), ref('u2')]],
    ['deletes an item', {ownerReferences: [{uid: 'u1', $patch: 'delete'}]}, 'ownerReferences', [ref('u2')]],
    ['replaces a keyed list', {ownerReferences: [{$patch: 'replace'}, ref('u9')]}, 'ownerReferences', [ref('u9')]],
    [
      'orders items',
      {'$setElementOrder/ownerReferences': [{uid: 'u2'}, {uid: 'u1'}]},
      'ownerReferences',
      [ref('u2'), ref('u1')],
    ],
    ['keeps only what is retained', {$retainKeys: ['name']}, 'labels', undefined],
    ['drops nulls and directives from what is new', {annotations: {a: null, b: 'x'}}, 'annotations', {b: 'x'}],
  ])('%s', (_, patch, field, expected) => {
    expect(metadata(patch)[field]).toEqual(expected);
  });

  it('replaces lists that have no key', () => {
    const result = run({subsets: [{addresses: []}]});
    expect(result.ok && (result.value as JsonObject)['subsets']).toEqual([{addresses: []}]);
  });

  it('drops a directive where there is nothing to act on', () => {
    const result = run({subsets: [{$patch: 'replace'}, {addresses: []}]}, {metadata: {name: 'a'}});
    expect(result.ok && (result.value as JsonObject)['subsets']).toEqual([{addresses: []}]);
  });

  it('changes neither the live object nor the patch that was sent', () => {
    const patch = {metadata: {labels: {$patch: 'replace', n: '1'}, ownerReferences: [{uid: 'u1', x: null}]}};
    const before = JSON.stringify([LIVE, patch]);
    run(patch);
    expect(JSON.stringify([LIVE, patch])).toBe(before);
  });

  it.each<[string, Json, number, string]>([
    [
      'an item without its key',
      {metadata: {ownerReferences: [{name: 'nokey'}]}},
      500,
      'map: map[name:nokey] does not contain declared merge key: uid',
    ],
    [
      'an unknown directive',
      {metadata: {labels: {$patch: 'bogus'}}},
      500,
      'unknown patch type: bogus in map: map[$patch:bogus]',
    ],
    [
      'a directive of the wrong type',
      {$patch: [{a: null, b: 1}]},
      500,
      'unknown patch type: [map[a:<nil> b:%!s(int64=1)]] in map: map[$patch:[map[a:<nil> b:1]]]',
    ],
    ['items of two types', {metadata: {finalizers: [1]}}, 500, 'list element types are not identical: [[f/1 f/2] [1]]'],
    [
      'an order that is none',
      {metadata: {'$setElementOrder/finalizers': 'x'}},
      500,
      'expected a []interface {}, but received a string',
    ],
    [
      'a deletion in a list of texts, behind the last of the order',
      {metadata: {finalizers: ['f/1', {$patch: 'delete'}], '$setElementOrder/finalizers': ['f/1']}},
      500,
      "The order in patch list:\n[f/1 map[$patch:delete]]\n doesn't match $setElementOrder list:\n[f/1]\n",
    ],
    [
      'an item that is no map, before one without its key',
      {metadata: {ownerReferences: [{name: 'n'}, 'x'], '$setElementOrder/ownerReferences': [{uid: 'u1'}]}},
      500,
      'expected a map[string]interface {}, but received a string',
    ],
    [
      'an order of items without their key',
      {metadata: {'$setElementOrder/ownerReferences': [{name: 'u1'}]}},
      500,
      'map: map[name:u1] does not contain declared merge key: uid',
    ],
    ['a field of another struct below a map', {metadata: {labels: {x: {a: 1}}}}, 0, ''],
    ['retained keys that are no list', {metadata: {$retainKeys: 'x'}}, 400, 'invalid patch format of retainKeys'],
    [
      'a key beyond the retained',
      {metadata: {$retainKeys: ['name'], labels: {}}},
      400,
      'invalid patch format of retainKeys',
    ],
    [
      'a deletion without a field',
      {metadata: {$deleteFromPrimitiveListx: []}},
      400,
      'invalid patch format of primitive list',
    ],
    ['a list as the patch', [1], 400, 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
  ])('answers %s as upstream', (_, patch, code, message) => {
    if (code === 0) expect(run(patch).ok).toBe(true);
    else expect(fault(patch)).toMatchObject({code, message});
  });

  it('quotes the patch as Go prints it', () => {
    const result = run({spec: {x: 1}, metadata: {bogus: '1'}});
    expect(result.ok && result.text()).toBe('map[metadata:map[bogus:1] spec:map[x:1]]');
  });

  it('merges the items of a list of structs by the key that the schema names', () => {
    const live: JsonObject = {
      status: {
        conditions: [
          {type: 'A', status: 'True'},
          {type: 'B', status: 'True'},
        ],
      },
    };
    const patch = {status: {conditions: [{type: 'B', status: 'False'}]}};
    const result = strategicMergePatch(live, patch, kubeTypes, 'io.k8s.api.core.v1.Namespace');
    expect(result.ok && result.value).toEqual({
      status: {
        conditions: [
          {type: 'A', status: 'True'},
          {type: 'B', status: 'False'},
        ],
      },
    });
  });
});
