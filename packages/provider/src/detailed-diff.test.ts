// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {type DiffRules, diffProperties, toDiffResult} from './detailed-diff.ts';
import {type PropertyMap, UNKNOWN} from './value.ts';

const kinds = (before: PropertyMap, after: PropertyMap, rules?: DiffRules) => {
  const {detailedDiff} = toDiffResult(diffProperties(before, after, rules));
  return Object.fromEntries(Object.entries(detailedDiff).map(([path, {kind}]) => [path, kind]));
};

test.each<[string, PropertyMap, PropertyMap, Record<string, string>]>([
  ['equal maps have none', {a: {b: [1, {c: 2}]}}, {a: {b: [1, {c: 2}]}}, {}],
  ['null is the same as absent', {a: null}, {}, {}],
  ['a nested leaf', {m: {labels: {app: '1'}}}, {m: {labels: {app: '2'}}}, {'m.labels.app': 'update'}],
  ['keys that need quotes', {m: {}}, {m: {'a/b.c': 'x'}}, {'m["a/b.c"]': 'add'}],
  ['a dropped branch is one path', {m: {labels: {a: '1', b: '2'}}}, {m: {}}, {'m.labels': 'delete'}],
  ['list members by index', {l: [1, 2, 3]}, {l: [1, 5]}, {'l[1]': 'update', 'l[2]': 'delete'}],
  ['a list that grows', {l: [{p: 1}]}, {l: [{p: 1}, {p: 2}]}, {'l[1]': 'add'}],
  ['another type is an update', {a: {b: 1}}, {a: [1]}, {a: 'update'}],
  ['an unknown is a change', {a: 1, b: UNKNOWN}, {a: UNKNOWN, b: UNKNOWN}, {a: 'update', b: 'update'}],
])('%s', (_name, before, after, expected) => {
  expect(kinds(before, after)).toEqual(expected);
});

test('a path that replaces does so only for itself and below', () => {
  const rules = {replaceOn: ['metadata.name', 'id']};
  expect(kinds({metadata: {name: 'a', labels: {x: '1'}}, id: 1}, {metadata: {name: 'b', labels: {}}}, rules)).toEqual({
    'metadata.name': 'update-replace',
    'metadata.labels.x': 'delete',
    id: 'delete-replace',
  });
  expect(kinds({metadata: {name: 'a'}}, {metadata: UNKNOWN}, rules)).toEqual({metadata: 'update'});
});

test('sets ignore order and repetition', () => {
  const rules = {sets: ['tags']};
  expect(kinds({tags: ['a', 'b', 'a']}, {tags: ['b', 'a']}, rules)).toEqual({});
  expect(kinds({tags: ['a', 'b']}, {tags: ['b', 'c']}, rules)).toEqual({'tags[0]': 'delete', 'tags[1]': 'add'});
  expect(kinds({tags: ['a']}, {tags: ['b']}, rules)).toEqual({'tags[0]': 'update'});
  expect(kinds({tags: ['a']}, {tags: ['a', UNKNOWN]}, rules)).toEqual({'tags[1]': 'update'});
});

test('the result lists top-level names, replacing paths and is complete when empty', () => {
  const rules = {replaceOn: ['a.x']};
  const result = toDiffResult(diffProperties({a: {x: 1, y: 1}, b: 1}, {a: {x: 2, y: 2}, b: 1}, rules));
  expect(result).toMatchObject({changes: 'some', diffs: ['a'], replaces: ['a.x']});
  expect(toDiffResult([])).toEqual({
    changes: 'none',
    diffs: [],
    detailedDiff: {},
    replaces: [],
    deleteBeforeReplace: false,
    stables: [],
  });
});
