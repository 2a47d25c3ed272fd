// SPDX-License-Identifier: Apache-2.0

import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import type {Json, JsonObject} from '../schema.ts';
import {mergePatch} from './index.ts';

const LIVE: JsonObject = {
  kind: 'Endpoints',
  apiVersion: 'v1',
  metadata: {name: 'a', labels: {x: 'y'}},
  subsets: [{addresses: [{ip: '10.0.0.1'}]}],
};

function patched(patch: Json, live: JsonObject = LIVE): Json {
  const result = mergePatch(live, patch);
  if (!result.ok) throw new Error(`refused: ${result.fault.message}`);
  return result.value;
}

describe('merge patch', () => {
  it.each<[string, Json, Json]>([
    [
      'adds and replaces members',
      {metadata: {labels: {x: '1', n: '2'}}},
      {...LIVE, metadata: {name: 'a', labels: {x: '1', n: '2'}}},
    ],
    [
      'removes with null',
      {metadata: {labels: {x: null}}, subsets: null},
      {kind: 'Endpoints', apiVersion: 'v1', metadata: {name: 'a', labels: {}}},
    ],
    ['replaces lists as a whole', {subsets: []}, {...LIVE, subsets: []}],
    [
      'drops nulls in what is new, but not items of lists',
      {n: {a: null, l: [null, {b: null}]}},
      {...LIVE, n: {l: [null, {}]}},
    ],
    [
      'keeps nulls inside a list that takes the place of an object',
      {metadata: [{a: null}]},
      {...LIVE, metadata: [{a: null}]},
    ],
    ['changes nothing when it says nothing', {metadata: {labels: {}}}, LIVE],
  ])('%s', (_, patch, expected) => {
    expect(patched(patch)).toEqual(expected);
  });

  it('leaves what it does not touch as the same value', () => {
    const value = patched({metadata: {labels: {n: '1'}}}) as JsonObject;
    expect(value['subsets']).toBe(LIVE['subsets']);
    expect(patched({metadata: {labels: {x: 'y'}}})).toBe(LIVE);
  });

  it.each<[string, Json, boolean, string]>([
    [
      'a list',
      [1],
      true,
      'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    [
      'text',
      'x',
      true,
      'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}',
    ],
    ['null', null, true, 'Invalid JSON Patch'],
    ['a number, unchecked', 1, false, 'Invalid JSON Patch'],
  ])('refuses %s', (_, patch, checked, message) => {
    expect(mergePatch(LIVE, patch, checked)).toEqual({ok: false, fault: {code: 400, reason: 'BadRequest', message}});
  });

  it('takes a list for the document when nobody checks it', () => {
    expect(mergePatch(LIVE, [1, {a: null}], false)).toMatchObject({ok: true, value: [1, {}]});
  });

  it('quotes the document with sorted keys where the patch went', () => {
    const result = mergePatch(LIVE, {metadata: {bogus: '1'}, spec: {x: 1}});
    expect(result.ok && result.text()).toBe(
      '{"apiVersion":"v1","kind":"Endpoints","metadata":{"bogus":"1","labels":{"x":"y"},"name":"a"},"spec":{"x":1},"subsets":[{"addresses":[{"ip":"10.0.0.1"}]}]}',
    );
  });

  it('keeps a key that looks like a prototype a key', () => {
    const value = patched(JSON.parse('{"metadata":{"labels":{"__proto__":"1"}}}') as Json) as {
      metadata: {labels: object};
    };
    expect(Object.keys(value.metadata.labels)).toEqual(['x', '__proto__']);
  });
});

describe('merge patch of generated documents', () => {
  const {document} = fc.letrec<{document: Json; leaf: Json}>(tie => ({
    leaf: fc.oneof(fc.integer(), fc.string({maxLength: 2}), fc.constant(null)),
    document: fc.dictionary(
      fc.constantFrom('a', 'b', 'c'),
      fc.oneof(
        {maxDepth: 3},
        tie('leaf'),
        tie('document'),
        fc.array(tie('leaf'), {maxLength: 2}),
      ) as fc.Arbitrary<Json>,
    ) as fc.Arbitrary<Json>,
  }));

  it('twice is once, and the live document is never changed', () => {
    fc.assert(
      fc.property(document, document, (live, patch) => {
        const before = JSON.stringify(live);
        const once = patched(patch, live as JsonObject);
        expect(patched(patch, once as JsonObject)).toEqual(once);
        expect(JSON.stringify(live)).toBe(before);
      }),
    );
  });

  it('does what RFC 7386 says', () => {
    const rfc = (target: Json, patch: Json): Json => {
      if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
      const base =
        typeof target === 'object' && target !== null && !Array.isArray(target) ? {...(target as JsonObject)} : {};
      const out: Record<string, Json> = base;
      for (const [key, value] of Object.entries(patch)) {
        if (value === null) delete out[key];
        else out[key] = rfc(out[key] ?? null, value);
      }
      return out;
    };
    fc.assert(
      fc.property(document, document, (live, patch) => {
        expect(patched(patch, live as JsonObject)).toEqual(rfc(live, patch));
      }),
    );
  });
});
