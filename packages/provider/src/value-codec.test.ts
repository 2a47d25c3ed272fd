// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {concealProperties, revealProperties} from './secrecy.ts';
import {containsSecrets, containsUnknowns, Secret, UNKNOWN} from './value.ts';
import {decodeProperties, encodeProperties} from './value-codec.ts';

const SIG = '4dabf18193072939515e22adb298388d';
const SECRET = '1b47061264138c4ac30d75fd1eb44270';
const OUTPUT = 'd0e6a833031e9bbcd3f4e8bde6ca49a4';
const UNKNOWN_TEXT = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';

test('sentinels become wrappers and back, at any depth', () => {
  const wire = {
    plain: [1, 'a', null, true, {k: 'v'}],
    secret: {[SIG]: SECRET, value: {inner: [UNKNOWN_TEXT]}},
    unknown: UNKNOWN_TEXT,
    reference: {[SIG]: '5cf8f73096256a8f31e491e813e4eb8e', urn: 'u', id: 'i'},
  };
  const map = decodeProperties(wire);
  expect(map['secret']).toEqual(new Secret({inner: [UNKNOWN]}));
  expect(map['unknown']).toBe(UNKNOWN);
  expect(encodeProperties(map)).toEqual(wire);
});

test('an output value becomes its value with the wrappers it stands for', () => {
  const outputs = decodeProperties({
    known: {[SIG]: OUTPUT, value: 'x', secret: true},
    open: {[SIG]: OUTPUT},
  });
  expect(outputs).toEqual({known: new Secret('x'), open: UNKNOWN});
});

test('a secret of a secret is one secret', () => {
  const nested = {[SIG]: SECRET, value: {[SIG]: SECRET, value: 'x'}};
  expect(decodeProperties({nested})).toEqual({nested: new Secret('x')});
});

test('secrets are sent in the clear to a peer that does not take them', () => {
  expect(encodeProperties({a: new Secret([new Secret('x')])}, {keepSecrets: false})).toEqual({a: ['x']});
});

test('wrappers are found at any depth', () => {
  expect(containsUnknowns({a: [new Secret({b: UNKNOWN})]})).toBe(true);
  expect(containsUnknowns({a: [new Secret({b: 1})]})).toBe(false);
  expect(containsSecrets({a: [{b: new Secret(1)}]})).toBe(true);
});

test('secrecy is put back where the model has it', () => {
  const model = {a: new Secret('old'), m: {k: new Secret('x'), l: 1}, list: [{s: new Secret(1)}, {s: 2}]};
  const plain = {a: 'new', m: {k: 'y', l: 2}, list: [{s: 3}, {s: 4}], other: 5};
  expect(concealProperties(plain, model)).toEqual({
    a: new Secret('new'),
    m: {k: new Secret('y'), l: 2},
    list: [{s: new Secret(3)}, {s: 4}],
    other: 5,
  });
  expect(revealProperties(model)).toEqual({a: 'old', m: {k: 'x', l: 1}, list: [{s: 1}, {s: 2}]});
});

test('a list of another length hides everything when the model held a secret in it', () => {
  expect(concealProperties({list: [1, 2]}, {list: [new Secret(1)]})).toEqual({list: new Secret([1, 2])});
  expect(concealProperties({list: [1, 2]}, {list: [1]})).toEqual({list: [1, 2]});
});

test('48-6 a key may have any name, also that of the prototype', () => {
  const wire = JSON.parse('{"__proto__":{"a":1},"b":{"__proto__":[2]}}');
  const decoded = decodeProperties(wire);
  expect(Object.keys(decoded)).toEqual(['__proto__', 'b']);
  expect(Object.getPrototypeOf(decoded)).toBe(Object.prototype);
  expect(JSON.stringify(encodeProperties(decoded))).toBe(JSON.stringify(wire));
});
