// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {StateFault} from '../engine-error.ts';
import {propertiesFromJson, propertiesToJson} from './resource-json.ts';

const SECRET = '"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270"';
const opened = (text: string): unknown => propertiesFromJson(JSON.parse(text), () => '5');

test('48-6 a damaged secret of a state is a fault of the state, and is not quoted', () => {
  expect(() => opened(`{"a":{${SECRET},"plaintext":"hunter2"}}`)).toThrow(StateFault);
  expect(() => opened(`{"a":{${SECRET},"plaintext":"hunter2"}}`)).not.toThrow(/hunter2/);
  expect(() => opened(`{"a":{${SECRET}}}`)).toThrow(StateFault);
});

test('48-6 a property may be called __proto__', () => {
  const text = '{"__proto__":{"a":1},"b":2}';
  const map = propertiesFromJson(JSON.parse(text), () => '');
  expect(Object.getPrototypeOf(map)).toBe(Object.prototype);
  expect(JSON.stringify(propertiesToJson(map, plaintext => ({plaintext})))).toBe(text);
});
