// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {
  copyAtPath,
  formatPropertyPath,
  getAtPath,
  type PathSegment,
  parsePropertyPath,
  pathContains,
  pathsTouch,
  WILDCARD,
} from './property-path.ts';
import {type PropertyMap, Secret, UNKNOWN} from './value.ts';

describe('parsePropertyPath', () => {
  test.each<[string, PathSegment[]]>([
    ['metadata', ['metadata']],
    ['metadata.labels.app', ['metadata', 'labels', 'app']],
    ['subsets[0].ports[12].port', ['subsets', 0, 'ports', 12, 'port']],
    ['metadata.annotations["a/b.c"]', ['metadata', 'annotations', 'a/b.c']],
    ['["a.b"]["c\\"d"].e', ['a.b', 'c"d', 'e']],
    ['a["x\\\\y"]', ['a', 'x\\y']],
    ['subsets[*].ports', ['subsets', WILDCARD, 'ports']],
    ['labels.*', ['labels', WILDCARD]],
    ['*', [WILDCARD]],
    ['a.[0]', ['a', 0]],
    ['metadata.annotations.example.com/owner', ['metadata', 'annotations', 'example', 'com/owner']],
  ])('reads %s', (text, path) => {
    expect(parsePropertyPath(text)).toEqual(path);
  });

  test.each(['', '.a', 'a..b', 'a.', 'a[', 'a[x]', 'a["b]', 'a["b"', 'a]b[0]c'])('refuses %j', text => {
    expect(() => parsePropertyPath(text)).toThrow(/property path/);
  });

  test('what is formatted is read back to the same path', () => {
    const segment = fc.oneof(fc.string(), fc.nat(1000), fc.constant<PathSegment>(WILDCARD));
    fc.assert(
      fc.property(fc.array(segment, {minLength: 1, maxLength: 6}), path => {
        expect(parsePropertyPath(formatPropertyPath(path))).toEqual(path);
      }),
    );
  });
});

describe('matching', () => {
  test.each<[string, string, boolean]>([
    ['metadata', 'metadata.labels.app', true],
    ['metadata.labels', 'metadata', false],
    ['subsets[*].ports', 'subsets[3].ports[0].port', true],
    ['subsets[1]', 'subsets[0].ports', false],
    ['*', 'anything', true],
    ['metadata.labels.*', 'metadata.labels["a/b"]', true],
  ])('%s contains %s: %s', (pattern, path, expected) => {
    expect(pathContains(parsePropertyPath(pattern), parsePropertyPath(path))).toBe(expected);
  });

  test('a change above a path touches it', () => {
    expect(pathsTouch(parsePropertyPath('metadata.labels.app'), parsePropertyPath('metadata'))).toBe(true);
    expect(pathsTouch(parsePropertyPath('metadata.labels.app'), parsePropertyPath('metadata.name'))).toBe(false);
  });
});

describe('copyAtPath (ignoreChanges)', () => {
  const copy = (target: PropertyMap, source: PropertyMap, path: string) =>
    copyAtPath(target, source, parsePropertyPath(path));

  test('a nested key comes from the source', () => {
    const target = {metadata: {labels: {a: '2', b: '2'}, name: 'n'}};
    const source = {metadata: {labels: {a: '1', b: '1'}, name: 'o'}};
    expect(copy(target, source, 'metadata.labels.a')).toEqual({metadata: {labels: {a: '1', b: '2'}, name: 'n'}});
  });

  test('what the source has not is taken away, what only the source has comes back', () => {
    expect(copy({a: {x: 1, y: 2}}, {a: {y: 1}}, 'a.x')).toEqual({a: {y: 2}});
    expect(copy({a: {y: 2}}, {a: {x: 1, y: 1}}, 'a.x')).toEqual({a: {x: 1, y: 2}});
    expect(copy({b: 1}, {a: {x: {z: 1}, y: 1}}, 'a.x.z')).toEqual({b: 1, a: {x: {z: 1}}});
  });

  test('a wildcard goes through every member of a list that both sides have', () => {
    const target = {subsets: [{p: 2}, {p: 2}, {p: 2}]};
    expect(copy(target, {subsets: [{p: 1}, {p: 1}]}, 'subsets[*].p')).toEqual({subsets: [{p: 1}, {p: 1}, {p: 2}]});
  });

  test('a wildcard in a map covers keys of both sides', () => {
    expect(copy({m: {a: 2, b: 2}}, {m: {b: 1, c: 1}}, 'm.*')).toEqual({m: {b: 1, c: 1}});
  });

  test('secrets are looked through and stay secret', () => {
    const merged = copy({a: new Secret({x: 2, y: 2})}, {a: new Secret({x: 1})}, 'a.x');
    expect(merged).toEqual({a: new Secret({x: 1, y: 2})});
  });

  test('a path that leads nowhere changes nothing; the arguments stay as they were', () => {
    const target = {a: [1, 2], b: UNKNOWN};
    expect(copy(target, {a: [0]}, 'a[5].q')).toEqual(target);
    expect(copy(target, {b: {c: 1}}, 'b.c')).toEqual(target);
    expect(target).toEqual({a: [1, 2], b: UNKNOWN});
  });
});

test('getAtPath reads through secrets and stops where nothing is', () => {
  const root = {a: [new Secret({'b.c': 5})]};
  expect(getAtPath(root, parsePropertyPath('a[0]["b.c"]'))).toBe(5);
  expect(getAtPath(root, parsePropertyPath('a[1].x'))).toBeUndefined();
  expect(getAtPath({}, parsePropertyPath('constructor'))).toBeUndefined();
});
