// SPDX-License-Identifier: Apache-2.0

import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import type {Json, JsonObject} from '../schema.ts';
import {JSON_PATCH_COPY_BYTES_MAX, JSON_PATCH_OPERATIONS_MAX, jsonPatch} from './index.ts';

const LIVE: JsonObject = {
  kind: 'Endpoints',
  apiVersion: 'v1',
  metadata: {name: 'a', labels: {x: 'y'}},
  subsets: [{addresses: [{ip: '10.0.0.1'}, {ip: '10.0.0.2'}], ports: [{port: 80, protocol: 'TCP'}]}],
};

function patched(patch: Json): Json {
  const result = jsonPatch(LIVE, patch);
  if (!result.ok) throw new Error(`refused: ${result.fault.message}`);
  return result.value;
}

function refused(patch: Json, checked = true) {
  const result = jsonPatch(LIVE, patch, checked);
  if (result.ok) throw new Error('not refused');
  return result.fault;
}

const UNFIT = {
  code: 422,
  reason: 'Invalid',
  message: 'the server rejected our request due to an error in our request',
  emptyDetails: true,
};

describe('JSON patch', () => {
  it.each<[string, Json, unknown]>([
    ['adds a member', [{op: 'add', path: '/metadata/labels/n', value: '1'}], {metadata: {labels: {x: 'y', n: '1'}}}],
    ['replaces a member', [{op: 'replace', path: '/metadata/labels/x', value: '2'}], {metadata: {labels: {x: '2'}}}],
    [
      'replaces a member that is not there',
      [{op: 'replace', path: '/metadata/labels/n', value: '2'}],
      {metadata: {labels: {n: '2'}}},
    ],
    [
      'decodes escapes',
      [{op: 'add', path: '/metadata/labels/a~1b~0c', value: '1'}],
      {metadata: {labels: {'a/b~c': '1'}}},
    ],
    ['takes a missing value for null', [{op: 'add', path: '/metadata/labels/n'}], {metadata: {labels: {n: null}}}],
    ['appends', [{op: 'add', path: '/subsets/0/addresses/-', value: 3}], {subsets: [{addresses: [{}, {}, 3]}]}],
    [
      'inserts',
      [{op: 'add', path: '/subsets/0/addresses/0', value: 3}],
      {subsets: [{addresses: [3, {ip: '10.0.0.1'}, {}]}]},
    ],
    [
      'counts negative indexes from the end',
      [{op: 'replace', path: '/subsets/0/addresses/-1', value: 3}],
      {subsets: [{addresses: [{}, 3]}]},
    ],
    [
      'moves',
      [{op: 'move', from: '/subsets/0/addresses/0', path: '/subsets/0/addresses/1'}],
      {subsets: [{addresses: [{ip: '10.0.0.2'}, {ip: '10.0.0.1'}]}]},
    ],
    [
      'copies',
      [{op: 'copy', from: '/metadata/labels', path: '/metadata/annotations'}],
      {metadata: {annotations: {x: 'y'}}},
    ],
    ['replaces the document', [{op: 'replace', path: '', value: {kind: 'x'}}], {kind: 'x'}],
    ['does nothing for null', null, LIVE],
    [
      'passes a test and goes on',
      [
        {op: 'test', path: '/metadata/name', value: 'a'},
        {op: 'add', path: '/metadata/n', value: 1},
      ],
      {metadata: {n: 1}},
    ],
  ])('%s', (_, patch, expected) => {
    expect(patched(patch)).toMatchObject(expected as object);
  });

  it('leaves what it does not touch as the same value, and the live object as it was', () => {
    const before = JSON.stringify(LIVE);
    const value = patched([{op: 'add', path: '/metadata/labels/n', value: '1'}]) as JsonObject;
    expect(value['subsets']).toBe(LIVE['subsets']);
    expect(JSON.stringify(LIVE)).toBe(before);
  });

  it('does not tie a copy to its source', () => {
    const value = patched([
      {op: 'copy', from: '/metadata/labels', path: '/metadata/annotations'},
      {op: 'add', path: '/metadata/annotations/only', value: '1'},
    ]);
    expect(value).toMatchObject({metadata: {labels: {x: 'y'}, annotations: {x: 'y', only: '1'}}});
    expect((value as {metadata: {labels: object}}).metadata.labels).not.toHaveProperty('only');
  });

  it.each<[string, Json]>([
    ['a failed test', [{op: 'test', path: '/metadata/name', value: 'b'}]],
    ['a test of what is not there', [{op: 'test', path: '/metadata/none', value: 'b'}]],
    ['an unknown operation', [{op: 'bogus', path: '/a'}]],
    ['no operation', [{path: '/a'}]],
    ['no path', [{op: 'add'}]],
    ['a path without a slash', [{op: 'add', path: 'metadata', value: {}}]],
    ['a parent that is not there', [{op: 'add', path: '/none/a', value: 1}]],
    ['a parent that is text', [{op: 'add', path: '/kind/a', value: 1}]],
    ['removal of what is not there', [{op: 'remove', path: '/metadata/none'}]],
    ['an index beyond the end', [{op: 'add', path: '/subsets/0/addresses/3', value: 1}]],
    ['an index that is no number', [{op: 'add', path: '/subsets/x', value: 1}]],
    ['a document that would be text', [{op: 'replace', path: '', value: 'x'}]],
  ])('refuses %s with the general text', (_, patch) => {
    expect(refused(patch)).toEqual(UNFIT);
  });

  it.each<[string, Json, string]>([
    [
      'an object',
      {op: 'add'},
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    ],
    [
      'a number in the list',
      [1],
      'error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp',
    ],
    [
      'a path that is no text',
      [{op: 'add', path: 1}],
      'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string',
    ],
  ])('refuses %s as a patch', (_, patch, message) => {
    expect(refused(patch)).toEqual({code: 400, reason: 'BadRequest', message});
  });

  it('passes over fields that an operation does not have', () => {
    const operation = {op: 'test', path: '/kind', value: 'Endpoints', note: 'x'};
    for (const checked of [true, false]) expect(jsonPatch(LIVE, [operation], checked).ok).toBe(true);
  });

  it('refuses one operation more than the limit', () => {
    const operation = {op: 'test', path: '/metadata/name', value: 'a'};
    expect(
      jsonPatch(
        LIVE,
        Array.from({length: JSON_PATCH_OPERATIONS_MAX}, () => operation),
      ).ok,
    ).toBe(true);
    expect(refused(Array.from({length: JSON_PATCH_OPERATIONS_MAX + 1}, () => operation))).toEqual({
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    });
  });

  it('limits what copies add', () => {
    const big = 'x'.repeat(JSON_PATCH_COPY_BYTES_MAX / 2);
    const copy = (to: string) => ({op: 'copy', from: '/big', path: to});
    const add = {op: 'add', path: '/big', value: big};
    expect(jsonPatch(LIVE, [add, copy('/c1')]).ok).toBe(true);
    expect(refused([add, copy('/c1'), copy('/c2')])).toEqual(UNFIT);
  });

  it('quotes the document with sorted keys where the patch went, and as it was elsewhere', () => {
    const result = jsonPatch(LIVE, [{op: 'replace', path: '/subsets/0/ports/0/port', value: '<80>'}]);
    expect(result.ok && result.text()).toBe(
      '{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"a","labels":{"x":"y"}},"subsets":[{"addresses":[{"ip":"10.0.0.1"},{"ip":"10.0.0.2"}],"ports":[{"port":"\\u003c80\\u003e","protocol":"TCP"}]}]}',
    );
  });
});

/** A model: each operation on a full copy, with lodash-like paths. */
describe('JSON patch against a model', () => {
  const key = fc.constantFrom('a', 'b', 'c');
  const value = fc.oneof(fc.string({maxLength: 3}), fc.integer(), fc.record({a: fc.integer()}), fc.constant([1, 2]));
  const step = fc.oneof(
    fc.record({op: fc.constant('add'), path: key.map(name => `/m/${name}`), value}),
    fc.record({op: fc.constant('replace'), path: key.map(name => `/m/${name}`), value}),
    fc.record({op: fc.constant('add'), path: fc.constant('/l/-'), value}),
    fc.record({op: fc.constant('add'), path: fc.constant('/l/0'), value}),
    fc.record({op: fc.constant('copy'), from: key.map(name => `/m/${name}`), path: fc.constant('/l/-')}),
  );

  it('gives what the operations say, one after the other', () => {
    fc.assert(
      fc.property(fc.array(step, {maxLength: 10}), steps => {
        const model: {m: Record<string, Json>; l: Json[]} = {m: {a: 1, b: [1], c: {x: 1}}, l: []};
        const live = structuredClone(model) as unknown as JsonObject;
        for (const {op, path, ...rest} of steps) {
          const given = 'value' in rest ? (rest.value as Json) : structuredClone(model.m[rest.from.slice(3)] ?? null);
          if (path === '/l/-') model.l.push(given);
          else if (path === '/l/0') model.l.unshift(given);
          else if (op !== 'copy') model.m[path.slice(3)] = given;
        }
        const result = jsonPatch(live, steps as unknown as Json);
        expect(result.ok && result.value).toEqual(model);
      }),
    );
  });

  it('is undone by the opposite operation', () => {
    fc.assert(
      fc.property(key, value, (name, added) => {
        const live: JsonObject = {m: {a: 1}};
        const result = jsonPatch(live, [
          {op: 'copy', from: '/m', path: '/saved'},
          {op: 'add', path: `/m/${name}`, value: added as Json},
          {op: 'remove', path: '/m'},
          {op: 'move', from: '/saved', path: '/m'},
        ]);
        expect(result.ok && result.value).toEqual(live);
      }),
    );
  });
});
