// SPDX-License-Identifier: Apache-2.0
/** What is made from the text of a schema: for schemas that upstream does not have, but the author of a kind may. */
import {describe, expect, test} from 'vitest';
import type {Field, FieldType, TypeTable} from '../schema.ts';
import {decodeObject} from './decode.ts';
import {encodeJson} from './encode.ts';
import {shapeObject} from './shape.ts';
import {Compiled, literal, Source} from './source.ts';
import {convertUnstructured} from './unstructured.ts';

const field = (name: string, type: FieldType, more: Partial<Field> = {}): Field => ({
  name,
  type,
  proto: 1,
  go: 'string',
  doc: '',
  ...more,
});
const STRING: FieldType = {type: 'string'};
const list = (item: FieldType): FieldType => ({type: 'list', item, listType: 'atomic'});
const table = (...structs: readonly (readonly [string, ...Field[]])[]): TypeTable =>
  Object.fromEntries(structs.map(([name, ...fields]) => [name, {name, doc: '', fields}]));
const again = (types: TypeTable, name: string, text: string): string =>
  encodeJson(types, name, decodeObject(types, name, text).object);

describe('a struct', () => {
  test('may hold itself: in a list, in a map, behind a pointer', () => {
    const node: FieldType = {type: 'ref', ref: 'v1.Node'};
    const types = table([
      'v1.Node',
      field('name', STRING),
      field('all', list(node)),
      field('by', {type: 'map', value: node}),
      field('next', node, {pointer: true}),
    ]);
    const text = '{"name":"a","all":[{"name":"b","all":[{"name":"c"}]}],"by":{"d":{"name":"e"}},"next":{"next":{}}}';
    expect(again(types, 'v1.Node', text)).toBe(text);
    expect(again(types, 'v1.Node', '{"all":[null],"by":{"x":null}}')).toBe('{"all":[{}],"by":{"x":{}}}');
  });

  test.each([`it's`, 'a "b" \\', '$0', '`', 'a\nb', 'kebab-case', 'class'])('may have a field named %j', name => {
    const types = table(['v1.Odd', field(name, STRING), field('kept', STRING, {keepEmpty: true})]);
    const text = `{${literal(name)}:"x","kept":""}`;
    expect(again(types, 'v1.Odd', text)).toBe(text);
  });

  test('shows what it always writes, of every type', () => {
    const inner: FieldType = {type: 'ref', ref: 'v1.Inner'};
    const always = {keepEmpty: true};
    const types = table(
      ['v1.Inner', field('x', STRING, always)],
      [
        'v1.Outer',
        field('s', STRING, always),
        field('t', {type: 'string', format: 'date-time'}, always),
        field('i', {type: 'integer', format: 'int32'}, always),
        field('f', {type: 'number'}, always),
        field('b', {type: 'boolean'}, always),
        field('l', list(STRING), always),
        field('m', {type: 'map', value: STRING}, always),
        field('a', {type: 'any'}, always),
        field('r', inner, always),
        field('p', inner, {...always, pointer: true}),
      ],
    );
    const zero = '{"s":"","t":null,"i":0,"f":0,"b":false,"l":null,"m":null,"a":null,"r":{"x":""},"p":null}';
    expect(encodeJson(types, 'v1.Outer', {})).toBe(zero);
    expect(again(types, 'v1.Outer', '{}')).toBe(zero);
  });

  test('gets its defaults where it says nothing, null or an empty value', () => {
    const types = table([
      'v1.Port',
      field('protocol', STRING, {default: 'TCP'}),
      field('port', {type: 'integer', format: 'int32'}),
    ]);
    for (const sent of [{}, {protocol: null}, {protocol: ''}])
      expect(shapeObject(types, 'v1.Port', sent, {defaults: true})?.object).toEqual({protocol: 'TCP'});
    expect(shapeObject(types, 'v1.Port', {protocol: ''}, {defaults: false})?.object).toEqual({});
  });
});

describe('bytes', () => {
  const types = table(['v1.Box', field('data', {type: 'string', format: 'byte'}), field('name', STRING)]);

  test.each([
    ['/+8=', '/+8='],
    ['/+8\\n=\\r', '/+8='], // line breaks are passed over
    ['aB==', 'aA=='], // stray bits are dropped
  ])('are kept as an encoder writes them: "%s"', (sent, kept) => {
    expect(again(types, 'v1.Box', `{"data":"${sent}"}`)).toBe(`{"data":"${kept}"}`);
    const {object} = convertUnstructured(types, 'v1.Box', JSON.parse(`{"data":"${sent}"}`));
    expect(object).toEqual({data: kept});
  });

  test.each([
    ['', '{}'],
    [null, '{}'],
  ])('that are none leave the field out: %j', (sent, shown) => {
    expect(again(types, 'v1.Box', JSON.stringify({data: sent}))).toBe(shown);
  });

  test.each([
    ['a', 0],
    ['abcd*', 4],
    ['ab=', 3],
    ['ab=c', 2],
    ['abc=d', 4],
    ['é', 0],
  ])('that are no base64 are refused in Go words: %j', (sent, offset) => {
    const fault = `illegal base64 data at input byte ${offset}`;
    const text = JSON.stringify({data: sent, name: 'x'});
    expect(() => decodeObject(types, 'v1.Box', text)).toThrow(fault);
    expect(() => convertUnstructured(types, 'v1.Box', {data: sent})).toThrow(`error decoding from json: ${fault}`);
  });

  test('of another type are refused', () => {
    expect(() => decodeObject(types, 'v1.Box', '{"data":1}')).toThrow('json: cannot unmarshal number into');
    expect(() => convertUnstructured(types, 'v1.Box', {data: 1})).toThrow('cannot restore slice from int64');
  });
});

test('E-271 a null gets the default, also where a null without one is kept', () => {
  const port = field('port', {type: 'any'}, {default: 80});
  const types = table(['v1.Rule', port, field('raw', {type: 'any'})]);
  const shaped = (defaults: boolean) => shapeObject(types, 'v1.Rule', {port: null, raw: null}, {defaults})?.object;
  expect(shaped(true)).toEqual({port: 80, raw: null});
  expect(shaped(false)).toEqual({port: null, raw: null});
});

test('a type that is not in the table is told each time', () => {
  const types = table(['v1.Lost', field('x', {type: 'ref', ref: 'v1.Missing'}, {pointer: true})]);
  for (let i = 0; i < 2; i++) {
    expect(() => encodeJson(types, 'v1.Lost', {})).toThrow('no type v1.Missing in the table');
    expect(() => decodeObject(types, 'v1.Lost', '{}')).toThrow('no type v1.Missing in the table');
  }
});

test('a value has one name in a text, and two structs that refer to each other are made once', () => {
  const source = new Source();
  const value = {};
  expect([source.name(value), source.name(3), source.name(value)]).toEqual(['$0', '$1', '$0']);
  expect(source.compile<() => unknown[]>('() => [$0, $1]')()).toEqual([value, 3]);

  const made = new Compiled<object, () => string>();
  const keys = [{}, {}] as const;
  let count = 0;
  const holder = (at: 0 | 1): {run: () => string} =>
    made.holder(keys[at], () => {
      count++;
      const other = at === 0 ? holder(1) : holder(0);
      return () => (at === 0 ? `a${other.run()}` : 'b');
    });
  expect(holder(0).run()).toBe('ab');
  expect(holder(1).run()).toBe('b');
  expect(count).toBe(2);
});
