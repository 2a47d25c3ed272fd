// SPDX-License-Identifier: Apache-2.0

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {Json} from '../schema.ts';
import {toYaml, yamlToJson} from './yaml.ts';

const read = (text: string) => yamlToJson(Buffer.from(text));

describe('scalars are those of YAML 1.1', () => {
  test.each([
    ['yes', true],
    ['Off', false],
    ['n', false],
    ['"yes"', 'yes'],
    ["'no'", 'no'],
    ['~', null],
    ['', null],
    ['Null', null],
    ['0x1F', 31],
    ['0b11', 3],
    ['0o17', 15],
    ['017', 15],
    ['08', 8],
    ['1_000', 1000],
    ['+1', 1],
    ['1e3', 1000],
    ['.5', 0.5],
    ['1.0', 1],
    ['1:20', '1:20'],
    ['2020-01-02', '2020-01-02'],
    ['2020-01-02T03:04:05Z', '2020-01-02T03:04:05Z'],
    ['10.0.0.1', '10.0.0.1'],
    ['a b', 'a b'],
    ['<<', '<<'],
    ['=', '='],
    ['!!str 5', '5'],
    ['!!int "7"', 7],
    ['!!float 3', 3],
    ['!!binary aGk=', 'hi'],
    ['!foo 5', '5'],
    ['|\n  a\n  b\n', 'a\nb\n'],
    ['>-\n  a\n  b\n', 'a b'],
  ])('%j', (text, want) => expect(JSON.parse(read(`k: ${text}`).text)).toEqual({k: want}));

  test('whole numbers of 64 bits are exact', () => {
    expect(read('[12345678901234567890, -9223372036854775808]').text).toBe(
      '[12345678901234567890,-9223372036854775808]',
    );
  });
});

describe('documents', () => {
  test.each([
    ['keys become strings and are sorted', 'b: 1\ntrue: 2\n5: 3\n1.5: 4\n', '{"1.5":4,"5":3,"b":1,"true":2}'],
    ['an alias stands for its anchor', 'a: &x {b: 1}\nc: *x\n', '{"a":{"b":1},"c":{"b":1}}'],
    ['merge keys', 'a: &x {b: 1}\nc:\n  <<: *x\n  d: 2\n', '{"a":{"b":1},"c":{"b":1,"d":2}}'],
    ['only the first document', 'a: 1\n---\nb: 2\n', '{"a":1}'],
    ['an empty document', '# nothing\n', 'null'],
    ['JSON is YAML', '{"a":{"b":[1,"x",null,true]}}', '{"a":{"b":[1,"x",null,true]}}'],
    ['a sequence beside its key', 'a:\n- 1\n- b: 2\n', '{"a":[1,{"b":2}]}'],
  ])('%s', (_, text, want) => expect(read(text)).toEqual({text: want, strictErrors: []}));

  test('the first of several merged maps wins, and what it hides is named as a duplicate', () => {
    expect(read('a: &x {b: 1}\nz: &y {b: 2, e: 3}\nc:\n  <<: [*x, *y]\n')).toEqual({
      text: '{"a":{"b":1},"c":{"b":1,"e":3},"z":{"b":2,"e":3}}',
      strictErrors: ['yaml: unmarshal errors:\n  line 1: key "b" already set in map'],
    });
  });

  test('duplicate keys: the last wins, and all are named in one strict error', () => {
    expect(read('a: 1\nb:\n  c: 1\n  c:\n    d: 2\na: 3\n')).toEqual({
      text: '{"a":3,"b":{"c":{"d":2}}}',
      strictErrors: [
        'yaml: unmarshal errors:\n  line 5: key "c" already set in map\n  line 6: key "a" already set in map',
      ],
    });
  });
});

test.each([
  ['1.50: a\n1.5: b\n', '1.5'],
  ['123456789.0: a\n123456789.0: b\n', '1.23456789e+08'],
  ['-0.0: a\n0.0: b\n', '0'],
  ['.inf: a\n+.inf: b\n', '+Inf'],
])('floats that are one key: %j', (text, key) =>
  expect(read(text).strictErrors).toEqual([`yaml: unmarshal errors:\n  line 2: key ${key} already set in map`]),
);

test.each(['1.0: a\n1: b\n', '1.5: a\n"1.5": b\n', '.nan: a\n.nan: b\n', '0.1: a\n0.1000000001: b\n'])(
  'two keys, one name in JSON: %j',
  text => expect(read(text).strictErrors).toEqual([]),
);

describe('what is refused', () => {
  test.each([
    ['~: 1\n', 'yaml: line 1: unsupported map key: null'],
    ['a:\n  0xffffffffffffffff: 1e6', 'yaml: line 2: unsupported map key: 18446744073709551615'],
    ['a: 1\n? [a]\n: b\n', 'yaml: line 2: a map key must be a scalar'],
    ['&a [*a]\n', "yaml: line 1: anchor 'a' value contains itself"],
    ['a: 1\nb: *x\n', "yaml: line 2: unknown anchor 'x' referenced"],
    ['a: 1\nb: !!int x\n', 'yaml: line 2: cannot decode !!str `x` as a !!int'],
    ['a: .inf\n', 'json: unsupported value: +Inf'],
    ['b: [1, .NaN]\n', 'json: unsupported value: NaN'],
  ])('%j', (text, message) =>
    expect(() => read(text)).toThrow(expect.objectContaining({name: 'DecodeError', message})),
  );

  test.each([
    ['half of a surrogate pair', '{"a":"\\ud83d\\ude00"}', 1],
    ['the same on another line', 'a: 1\nb: "\\uDEAD"\n', 2],
    ['the same, long', 'a: 1\nb: "\\U0000DEAD"\n', 2],
    ['a slash', '{"a":"b\\/c"}', 1],
    ['a slash behind a backslash', '{"a":"b\\\\\\/c"}', 1],
  ])('the escape of %s', (_, text, line) => {
    const message = `yaml: line ${line}: escapes of a slash or a surrogate are not allowed`;
    expect(() => read(text)).toThrow(expect.objectContaining({name: 'DecodeError', message}));
  });

  test('not a backslash before a letter that looks like one', () => {
    expect(read('a: "\\\\ud83d"\nb: \\/\nc: "\\\\/"').text).toBe('{"a":"\\\\ud83d","b":"\\\\/","c":"\\\\/"}');
  });
});

test('an object as YAML', () => {
  const object = {
    apiVersion: 'v1',
    metadata: {labels: {a10: 'yes', a9: '1.5', b: ''}, annotations: {text: 'a\nb\n', html: "it's <&>"}, finalizers: []},
    subsets: [{addresses: [{ip: '10.0.0.1'}], ports: [{port: 80}]}],
    empty: {},
    none: null,
  };
  expect(toYaml(object)).toBe(`apiVersion: v1
empty: {}
metadata:
  annotations:
    html: it's <&>
    text: |
      a
      b
  finalizers: []
  labels:
    a9: "1.5"
    a10: "yes"
    b: ""
none: null
subsets:
- addresses:
  - ip: 10.0.0.1
  ports:
  - port: 80
`);
});

test('what is written as YAML is read back as it was', () => {
  const special = fc.constantFrom(
    '',
    'yes',
    '1',
    '-',
    '- a',
    'a: b',
    'a #b',
    '#a',
    ' a',
    'a ',
    'a\nb',
    '\n',
    'a\n\n',
    ' \n',
    "'",
    '"',
    '\t',
    '\u2028',
    '\u0085',
    '😀',
    '?',
    ':',
    '&a',
    '*a',
    '!a',
    '%a',
    '@',
    '---',
    '...',
    '{',
    '~',
    '0x1',
    '1:20',
    '\r',
  );
  const text = fc.oneof(
    special,
    fc.string({unit: 'binary'}).map(s => s.toWellFormed()),
  );
  const {value} = fc.letrec<{value: Json}>(tie => ({
    value: fc.oneof(
      {maxDepth: 3},
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), {maxLength: 3}),
      fc.dictionary(
        text.filter(t => t !== '__proto__'),
        tie('value'),
        {maxKeys: 3},
      ),
    ),
  }));
  fc.assert(
    fc.property(value, sent => {
      expect(JSON.parse(read(toYaml(sent)).text)).toEqual(sent);
    }),
    {numRuns: 150, seed: 20260501},
  );
});

describe('long and odd strings', () => {
  const words = (count: number): string => Array(count).fill('word').join(' ');

  test.each([
    ['plain', words(20), `long: ${words(16)}\n  ${words(4)}\n`],
    ['single quotes', `${words(20)} `, `long: '${words(15)}\n  ${words(5)} '\n`],
    ['double quotes', `\t${words(20)}`, `long: "\\t${words(15)}\n  ${words(5)}"\n`],
    ['two spaces are no place to fold', `${words(16)}  ${words(4)} x`, `long: ${words(16)}  word\n  ${words(3)} x\n`],
    ['two spaces in double quotes', `\t${words(15)}  x`, `long: "\\t${words(15)}\n  \\ x"\n`],
    ['a byte order mark', '\ufeffx y', 'long: "\\uFEFF\\x78\\x20\\x79"\n'],
    ['empty lines', '\n\na\n', 'long: |2\n\n\n  a\n'],
  ])('%s', (_, text, want) => {
    expect(toYaml({long: text})).toBe(want);
    expect(JSON.parse(read(want).text)).toEqual({long: text});
  });

  test('a line separator ends a line in quotes', () => {
    expect(toYaml({long: 'a\u2028b'})).toBe("long: 'a\u2028  b'\n");
  });

  test('a key of more than 128 bytes stands on a line of its own', () => {
    const key = 'k'.repeat(129);
    expect(toYaml({[key]: 'v', b: {[key]: {c: [1]}}})).toBe(`b:\n  ? ${key}\n  : c:\n    - 1\n? ${key}\n: v\n`);
    expect(toYaml([{[key]: [1, 2]}])).toBe(`- ? ${key}\n  : - 1\n    - 2\n`);
  });
});
