// SPDX-License-Identifier: Apache-2.0

import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import type {Json, JsonObject} from '../schema.ts';
import {difference, equalSets, type FieldSet, intersection, leaves, listPaths, union} from './fields/field-set.ts';
import {decodeFieldsV1, encodeFieldsV1} from './fields/fields-v1.ts';
import {fieldElement, keyElement, valueElement} from './fields/path-element.ts';
import {fieldSetOf} from './index.ts';
import {ObjectUnderApply} from './testing/object-under-apply.ts';

const labelMap = (keys: readonly string[]) =>
  fc.dictionary(fc.constantFrom(...keys), fc.constantFrom('1', '2'), {maxKeys: keys.length});
const subsets = fc.array(
  fc.record({
    addresses: fc.array(fc.constantFrom({ip: '10.0.0.1'}, {ip: '10.0.0.2'}), {minLength: 1, maxLength: 2}),
    ports: fc.constantFrom([{port: 80, protocol: 'TCP'}], [{port: 80}]),
  }),
  {maxLength: 2},
);
const finalizers = fc.uniqueArray(fc.constantFrom('f/1', 'f/2', 'f/3'));
const owners = fc.uniqueArray(
  fc.record({
    uid: fc.constantFrom('u1', 'u2'),
    name: fc.constantFrom('n', 'm'),
    kind: fc.constant('X'),
    apiVersion: fc.constant('v1'),
  }),
  {selector: ({uid}) => uid},
);
const keys = (list: readonly string[]) =>
  fc.record(
    {labels: labelMap(list), annotations: labelMap(list), finalizers, ownerReferences: owners},
    {requiredKeys: []},
  );
const body = (list: readonly string[]): fc.Arbitrary<JsonObject> =>
  fc.record({metadata: keys(list), subsets}, {requiredKeys: ['metadata']}) as unknown as fc.Arbitrary<JsonObject>;

/**
 * An empty map or list is a value that upstream owns, drops when it stores the object, and finds missing at the next
 * apply: the laws are about bodies that say something.
 */
const withoutEmpty = (value: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(value)
      .map(([key, child]): [string, Json] => [key, key === 'metadata' ? withoutEmpty(child as JsonObject) : child])
      .filter(([key, child]) => key === 'metadata' || Object.keys(child as object).length > 0),
  );
const meaningful = (list: readonly string[]) => body(list).map(withoutEmpty);

const ALL = ['a', 'b', 'c'] as const;
const write = fc.record({
  manager: fc.constantFrom('m1', 'm2', 'm3'),
  apply: fc.boolean(),
  force: fc.boolean(),
  body: body(ALL),
});
const writes = fc.array(write, {maxLength: 6});

function play(
  history: readonly {manager: string; apply: boolean; force: boolean; body: JsonObject}[],
): ObjectUnderApply {
  const object = new ObjectUnderApply();
  for (const {manager, apply, force, body} of history) {
    if (apply) object.apply(manager, body, force);
    else object.put(manager, body);
  }
  return object;
}

describe('apply', () => {
  it('E-048 twice is once', () => {
    fc.assert(
      fc.property(writes, meaningful(ALL), (history, applied) => {
        const object = play(history);
        if (!object.apply('m1', applied, true).ok) throw new Error('a forced apply was refused');
        const once = object.stored;
        object.now = '2027-01-01T00:00:00Z';
        expect(object.apply('m1', applied).ok).toBe(true);
        expect(object.stored).toEqual(once);
      }),
    );
  });

  it('E-218 of disjoint fields by two managers commutes', () => {
    // An empty map is owned as such, so it would not be disjoint.
    const some = (keys: readonly string[]) => labelMap(keys).filter(map => Object.keys(map).length > 0);
    const left = fc.record({metadata: fc.record({labels: some(['a', 'b'])})});
    const right = fc.record({metadata: fc.record({labels: some(['c', 'd']), annotations: some(['a'])})});
    fc.assert(
      fc.property(writes, left, right, fc.boolean(), (history, l, r, force) => {
        const first = play(history);
        const second = play(history);
        const results = [
          [first.apply('l', l as JsonObject, force).ok, first.apply('r', r as JsonObject, force).ok],
          [second.apply('r', r as JsonObject, force).ok, second.apply('l', l as JsonObject, force).ok].reverse(),
        ];
        expect(results[0]).toEqual(results[1]);
        expect(second.stored).toEqual(first.stored);
      }),
    );
  });

  it('E-112 E-219 leaves what nobody owns', () => {
    fc.assert(
      fc.property(labelMap(ALL), labelMap(ALL), body(['x', 'y']), body(['x', 'y']), (labels, annotations, one, two) => {
        const object = new ObjectUnderApply();
        object.put('m0', {metadata: {labels, annotations}});
        object.put('m0', {metadata: {labels, annotations, managedFields: [{}]}});
        object.apply('m1', one, true);
        object.apply('m1', two, true);
        object.apply('m1', {}, true);
        expect(object.labels ?? {}).toEqual(labels);
        expect(object.metadata['annotations'] ?? {}).toEqual(annotations);
        expect(object.stored?.['subsets']).toBeUndefined();
      }),
    );
  });

  it('E-218 by force leaves nobody else on what it changed', () => {
    fc.assert(
      fc.property(writes, body(ALL), (history, applied) => {
        const object = play(history);
        const before = object.stored ?? {};
        object.apply('last', applied, true);
        const others = Object.entries(object.owners()).filter(([name]) => name !== 'last Apply');
        const changed = changedLeaves(before, object.stored ?? {});
        for (const [, fields] of others) {
          expect(listPaths(intersection(decodeFieldsV1(fields as Json), changed))).toEqual([]);
        }
      }),
    );
  });

  it('E-218 that is refused changes nothing', () => {
    fc.assert(
      fc.property(writes, body(ALL), (history, applied) => {
        const object = play(history);
        const before = JSON.stringify(object.stored);
        if (!object.apply('other', applied).ok) expect(JSON.stringify(object.stored)).toBe(before);
      }),
    );
  });
});

/** Labels and annotations whose value is another one now, and subsets. */
function changedLeaves(before: JsonObject, after: JsonObject): FieldSet {
  const paths: string[][] = [];
  for (const name of ['labels', 'annotations']) {
    const left = ((before['metadata'] as JsonObject | undefined)?.[name] ?? {}) as JsonObject;
    const right = ((after['metadata'] as JsonObject | undefined)?.[name] ?? {}) as JsonObject;
    for (const key of Object.keys(right)) {
      if (left[key] !== right[key]) paths.push(['f:metadata', `f:${name}`, `f:${key}`]);
    }
  }
  if (after['subsets'] !== undefined && JSON.stringify(before['subsets']) !== JSON.stringify(after['subsets'])) {
    paths.push(['f:subsets']);
  }
  return fieldSetOf(...paths);
}

const element = fc.oneof(
  fc.string({minLength: 1, maxLength: 3, unit: 'grapheme'}).map(fieldElement),
  fc.record({uid: fc.string({maxLength: 3}), port: fc.integer()}).map(key => keyElement(key)),
  fc.oneof(fc.string({maxLength: 3}), fc.integer(), fc.boolean()).map(valueElement),
  fc.nat(20).map(i => `i:${i}`),
);
const fieldSet = fc
  .array(fc.array(element, {minLength: 1, maxLength: 3}), {maxLength: 8})
  .map(paths => fieldSetOf(...paths));

describe('field sets', () => {
  it('E-212 survive the wire', () => {
    fc.assert(
      fc.property(fieldSet, set => {
        const wire = JSON.parse(JSON.stringify(encodeFieldsV1(set))) as Json;
        expect(equalSets(decodeFieldsV1(wire), set)).toBe(true);
        expect(JSON.stringify(encodeFieldsV1(decodeFieldsV1(wire)))).toBe(JSON.stringify(wire));
      }),
    );
  });

  it('E-212 are encoded the same in whatever order they were built', () => {
    const paths = fc.array(fc.array(element, {minLength: 1, maxLength: 3}), {maxLength: 6});
    fc.assert(
      fc.property(paths, list => {
        const backwards = fieldSetOf(...[...list].reverse());
        expect(JSON.stringify(encodeFieldsV1(backwards))).toBe(JSON.stringify(encodeFieldsV1(fieldSetOf(...list))));
      }),
    );
  });

  it('E-212 obey the laws of sets', () => {
    const names = (set: FieldSet) => new Set(listPaths(set).map(path => JSON.stringify(path)));
    fc.assert(
      fc.property(fieldSet, fieldSet, (a, b) => {
        const [inA, inB] = [names(a), names(b)];
        expect(names(union(a, b))).toEqual(new Set([...inA, ...inB]));
        expect(names(intersection(a, b))).toEqual(new Set([...inA].filter(name => inB.has(name))));
        expect(names(difference(a, b))).toEqual(new Set([...inA].filter(name => !inB.has(name))));
        expect([...names(leaves(a))].every(name => inA.has(name))).toBe(true);
      }),
    );
  });
});
