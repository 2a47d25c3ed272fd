// SPDX-License-Identifier: Apache-2.0
/** What a document means, as go.yaml.in/yaml/v2 v2.4.3 reads it, and what is refused. */
import {describe, expect, test} from 'vitest';
import {Composer} from 'yaml';
import {yamlToJson} from './yaml.ts';

const read = (text: string | Uint8Array): string => yamlToJson(Buffer.from(text)).text;
const fault = (text: string | Uint8Array): string => {
  try {
    return `read as ${read(text)}`;
  } catch (error) {
    expect(error).toMatchObject({name: 'DecodeError'});
    return (error as Error).message;
  }
};

describe('refused, with the line', () => {
  test.each([
    'metadata:\n  name: a\n  labels: {x: y\n',
    'metadata:\n  name: a\n  labels: {x: y}}\n',
    'metadata: {name: a, labels: {x: y]}\n',
    'metadata: {name: a labels: b}\n',
    'metadata: {name: a,, labels: {}}\n',
    'metadata: {,name: a}\n',
    'metadata: [a b c\n',
    'metadata: [a\n  b: c\n',
    'metadata: [a, b\nfoo: bar\n',
    'metadata:\n  name: a\n labels: {}\n',
    'metadata:\n  name: a\n   labels: {}\n',
    'metadata:\n\tname: a\n',
    'metadata:\n  name: a\n\tlabels: {}\n',
    'metadata:\n  name: "a\n',
    "metadata:\n  name: 'a\n",
    'metadata:\n  name: "a" b\n',
    'metadata:\n  name: a: b\n',
    'metadata:\n  name: [a: b: c]\n',
    'metadata:\n  - name\n  b: c\n',
    'metadata:\n  b: c\n  - name\n',
    'metadata: *x\n',
    'metadata: &x\n  name: a\n  labels: *x\n',
    'metadata: {name: !!int a}\n',
    'metadata: {name: !!binary "&"}\n',
    'metadata: {name: !!float x}\n',
    'metadata: {name: !!bool x}\n',
    'metadata: {name: !!null x}\n',
    'metadata: {name: !!timestamp x}\n',
    'metadata:\n  name: @a\n',
    'metadata:\n  name: `a\n',
    'metadata:\n  name: %a\n',
    'metadata:\n  name: |\n  a\n',
    'metadata:\n  name: |x\n    a\n',
    'metadata:\n  name: |0\n    a\n',
    'metadata:\n  name: |12\n    a\n',
    'metadata:\n  ? [a]\n  : a\n',
    'metadata:\n  ? {a: b}\n  : a\n',
    'metadata:\n  <<: x\n',
    'metadata:\n  <<: [x]\n',
    'metadata:\n  null: a\n',
    'metadata:\n  ~: a\n',
    'metadata:\n  : a\n',
    'metadata: {name: "\\x"}\n',
    'metadata: {name: "\\xzz"}\n',
    'metadata: {name: "\\q"}\n',
    'metadata: {name: "\\u12"}\n',
    'metadata: {name: "\\ud800"}\n',
    'metadata: {name: a} x\n',
    'metadata: {name: a}: x\n',
    'metadata: [x]: y\n',
    'metadata: "x": y\n',
    'metadata: x: y\n',
    'metadata\nname: a\n',
    'metadata: - a\n',
    'metadata: -\n',
    'metadata: {: a}\n',
    'metadata: [a, [b, {c: d]]\n',
    'metadata: {"name":"a"\n',
    'metadata: {"name":"a",\n',
    'metadata: {"name":\n',
    'metadata: {"name"\n',
    'metadata: {\n',
    'metadata: [\n',
    'metadata: "\n',
    'metadata: {"name":"a"}}\n',
    'metadata: ]\n',
    'metadata: }\n',
    'metadata: ,\n',
    'metadata: !<x a\n',
    'metadata: !!\n',
    'metadata: &\n',
    'metadata: &a &b c\n',
    'metadata: !a !b c\n',
    'metadata: *\n',
    'metadata: & a\n',
    '{"metadata":{"a":{"name":"x"}\n',
    '[a, b',
    'a: {b: c',
    'a: {b: [c}',
    '[{]',
    '{a: b, c: d]',
    '{a: [1, 2}',
    'a:\n  - b\n c: d\n',
    '%YAML 1.2\n---\na\n',
    '%YAML\n---\n',
    '%YAML 1.1 x\n---\n',
    '%TAG !x\n---\n',
    '!e!x a\n',
    '!<x a\n',
    '!a%zz b\n',
    'a: |\n\tb\n',
    'a: |3\n b\n',
    '"\n---\n"',
    '[a]: b\n',
    '{a: b}: c\n',
    'a: {"b":1,\n"c"\n:2}\n',
    'a:\n  "b"\n  c: d\n',
    'a: "b" c\n',
    "a: 'b' c\n",
    'a: ? b\n',
    'a: [x\n]: y\n',
    'a: - b\n',
    '*a : b\n',
    'a: b\n? c\n]\n',
    '? a\n- b\n',
    'm:\n  ? a\n  - b\n',
  ])('%j', text => expect(fault(text)).toMatch(/^yaml: line [1-4]: /));

  test('of the fault', () => {
    expect(fault('a: 1\nb:\n  c: "\\q"\n')).toBe('yaml: line 3: Invalid escape sequence \\q');
    expect(fault(`a: 1\nb: "${'x\n '.repeat(3)}" y\n`)).toBe('yaml: line 5: Unexpected scalar at node end');
    expect(fault('a: |\r\n x\r\nb: @\r\n')).toMatch(/^yaml: line 3: /);
    expect(fault(`a: b\n${'}'.repeat(3_000_000)}`).length).toBeLessThan(300);
  });
});

test.each([
  [[0x61, 0x3a, 0xff], 'yaml: invalid UTF-8'],
  [[0x61, 0xc3], 'yaml: invalid UTF-8'],
  [[0xed, 0xa0, 0x80], 'yaml: invalid UTF-8'],
  [[0x61, 0x07], 'yaml: control characters are not allowed'],
  [[0x22, 0x00, 0x22], 'yaml: control characters are not allowed'],
  [[0x61, 0xef, 0xbf, 0xbe], 'yaml: control characters are not allowed'],
])('bytes that are no text: %j', (bytes, problem) => expect(fault(Uint8Array.from(bytes))).toBe(problem));

describe('a hostile text ends with an error', () => {
  const megabytes = (piece: string): string => piece.repeat(Math.floor(3_000_000 / piece.length));

  test.each(['[', '{', '- ', '? ', '{a: ', '&a [', 'a: b: '])('3 MB of %j: depth', piece =>
    expect(fault(megabytes(piece))).toMatch(/^yaml: line 1: exceeded max depth of 500$/),
  );

  test.each([']', '@', ': : '])('3 MB of %j: syntax', piece =>
    expect(fault(megabytes(piece))).toMatch(/^yaml: line 1: /),
  );

  test.each([
    ['{', '"a":1,'],
    ['[', ','],
    ['', '- a\n'],
  ])('%j and 3 MB of %j: tokens', (start, piece) =>
    expect(fault(start + megabytes(piece))).toMatch(/: more than 1000000 tokens$/),
  );

  test('the package still has the member that is replaced to stop at the first error', () => {
    expect(Object.keys(new Composer())).toContain('onError');
  });

  test('aliases of aliases, of a long text, in merge keys', () => {
    const twice = (pair: (name: string) => string): string =>
      Array.from({length: 40}, (_, i) => `a${i + 1}: &a${i + 1} ${pair(`*a${i}`)}\n`).join('');
    const excessive = 'yaml: document contains excessive aliasing';
    expect(fault(`a0: &a0 x\n${twice(name => `[${name}, ${name}]`)}`)).toBe(excessive);
    expect(fault(`a0: &a0 {x: y}\n${twice(name => `{<<: [${name}, ${name}]}`)}`)).toBe(excessive);
    expect(fault(`a: &a ${'x'.repeat(100_000)}\nb: [${'*a, '.repeat(200)}]`)).toBe(excessive);
  });

  test('collections as deep as is permitted are read', () => {
    const deep = 490;
    expect(read('['.repeat(deep) + ']'.repeat(deep))).toBe('['.repeat(deep) + ']'.repeat(deep));
    const nested = Array.from({length: deep}, (_, i) => `${' '.repeat(i)}a:\n`).join('');
    expect(read(nested)).toBe(`${'{"a":'.repeat(deep)}null${'}'.repeat(deep)}`);
  });
});

describe('values', () => {
  test.each([
    ['metadata: &x {name: a}\nlabels: *x\n', '{"labels":{"name":"a"},"metadata":{"name":"a"}}'],
    ['metadata: {name: a}\n---\nkind: b\n', '{"metadata":{"name":"a"}}'],
    ['--- \nmetadata: {name: a}\n', '{"metadata":{"name":"a"}}'],
    ['metadata: {name: a}\n...\nfoo: bar\n', '{"metadata":{"name":"a"}}'],
    ['%YAML 1.1\n---\nmetadata: {name: a}\n', '{"metadata":{"name":"a"}}'],
    ['metadata: !!str a\n', '{"metadata":"a"}'],
    ['metadata: !foo {name: a}\n', '{"metadata":{"name":"a"}}'],
    ['metadata: {name: !!binary aGk=}\n', '{"metadata":{"name":"hi"}}'],
    ['metadata: {name: !!int "1"}\n', '{"metadata":{"name":1}}'],
    ['metadata:\n  name: |\n    a\n', '{"metadata":{"name":"a\\n"}}'],
    ['metadata:\n  name: >-\n    a\n    b\n', '{"metadata":{"name":"a b"}}'],
    ['metadata:\n  ? name\n  : a\n', '{"metadata":{"name":"a"}}'],
    ['metadata:\n  <<: {name: a}\n', '{"metadata":{"name":"a"}}'],
    ['metadata:\n  <<: [{name: a}, {name: b}]\n', '{"metadata":{"name":"a"}}'],
    ['metadata:\n  1: a\n', '{"metadata":{"1":"a"}}'],
    ['metadata:\n  1.5: a\n', '{"metadata":{"1.5":"a"}}'],
    ['metadata:\n  true: a\n', '{"metadata":{"true":"a"}}'],
    ['metadata:\n  2001-01-01: a\n', '{"metadata":{"2001-01-01":"a"}}'],
    ['metadata:\n  name: a\n  name: b\n', '{"metadata":{"name":"b"}}'],
    ['metadata: {name: a, name: b}\n', '{"metadata":{"name":"b"}}'],
    ['metadata: {name: "a\n  b"}\n', '{"metadata":{"name":"a b"}}'],
    ['metadata: {name: a}\nkind: b\n', '{"kind":"b","metadata":{"name":"a"}}'],
    ['metadata\n', '"metadata"'],
    ['metadata:name\n', '"metadata:name"'],
    ['- metadata\n', '["metadata"]'],
    ['  metadata: {}\n', '{"metadata":{}}'],
    ['metadata: {a: b, c}\n', '{"metadata":{"a":"b","c":null}}'],
    ['metadata: {a, b: c}\n', '{"metadata":{"a":null,"b":"c"}}'],
    ['metadata: {a: }\n', '{"metadata":{"a":null}}'],
    ['metadata: {? a : b}\n', '{"metadata":{"a":"b"}}'],
    ['metadata: [? a : b]\n', '{"metadata":[{"a":"b"}]}'],
    ['metadata: a, b\n', '{"metadata":"a, b"}'],
    ['metadata: {name: a #c\n}\n', '{"metadata":{"name":"a"}}'],
    ['metadata: {name: a}#c\n', '{"metadata":{"name":"a"}}'],
    ['metadata: #c\n  name: a\n', '{"metadata":{"name":"a"}}'],
    ['metadata: \ufeffa\n', '{"metadata":"\ufeffa"}'],
    ['metadata: !\n', '{"metadata":""}'],
    ['metadata: !<tag:yaml.org,2002:str> a\n', '{"metadata":"a"}'],
    ['metadata: &a\n', '{"metadata":null}'],
    ['metadata: 0x1F\n', '{"metadata":31}'],
    ['metadata: 0o17\n', '{"metadata":15}'],
    ['metadata: 017\n', '{"metadata":15}'],
    ['metadata: 1_000\n', '{"metadata":1000}'],
    ['metadata: 0b11\n', '{"metadata":3}'],
    ['metadata: 1e3\n', '{"metadata":1000}'],
    ['metadata: +1\n', '{"metadata":1}'],
    ['metadata: 12:30:45\n', '{"metadata":"12:30:45"}'],
    ['metadata: yes\n', '{"metadata":true}'],
    ['metadata: On\n', '{"metadata":true}'],
    ['metadata: n\n', '{"metadata":false}'],
    ['metadata: =\n', '{"metadata":"="}'],
    ['metadata: 2001-01-01\n', '{"metadata":"2001-01-01"}'],
    ['metadata: 2001-01-01T00:00:00Z\n', '{"metadata":"2001-01-01T00:00:00Z"}'],
    ['!<x> a\n', '"a"'],
    ['!!str\n', '""'],
    ['? a\n? b\n', '{"a":null,"b":null}'],
    ['{x: y}}', '{"x":true}'],
    ['[x]]', '["x"]'],
    ['{x: y} z\n@', '{"x":true}'],
    ['- a\n  - b\n c\n', '["a - b c"]'],
    ['a: [\n]\nb: {\n}\n', '{"a":[],"b":{}}'],
    ['a: "x\u2028b"\n', '{"a":"x\\u2028b"}'],
    ['a: "x\u0085 b"\n', '{"a":"x b"}'],
    ['a: "x\n\n  y"\n', '{"a":"x\\ny"}'],
    ['a: x\n  y\n\n  z\nb: 1\n', '{"a":"x y\\nz","b":1}'],
    ['a: |-\n x\n  y\n\nb: >+\n x\n y\n\n', '{"a":"x\\n y","b":"x y\\n\\n"}'],
    ['- - a\n  - b\n-\n  c: d\n', '[["a","b"],{"c":"d"}]'],
    ['- a: b\n  c: d\n-  e: f\n', '[{"a":"b","c":"d"},{"e":"f"}]'],
    ['{a, b: , ? c : d, "e":1}', '{"a":null,"b":null,"c":"d","e":1}'],
    ['[a: b, ? c : d, e]', '[{"a":"b"},{"c":"d"},"e"]'],
    ['&a a: *a\n', '{"a":"a"}'],
    ['a: &x\nb: *x\n', '{"a":null,"b":null}'],
    ['--- a\n--- b\n', '"a"'],
    ['---\n...\nb', 'null'],
    ['# c', 'null'],
    ['a #b: c', '"a"'],
    ['a: #b\n c', '{"a":"c"}'],
    ['---', 'null'],
    ['a:\r\n  b: c\r\n', '{"a":{"b":"c"}}'],
    ['\ufeffa: b\n', '{"a":"b"}'],
    ['a: \ufeffb\n', '{"a":"\ufeffb"}'],
  ])('%j', (text, json) => expect(JSON.parse(read(text))).toEqual(JSON.parse(json)));

  test('floats as keys have the digits of 32 bits', () => {
    expect(read('{1e9: a, 1.50: b, -0.0: c, 1e300: d, 1e-7: e, .nan: f}')).toBe(
      '{"-0":"c",".inf":"d",".nan":"f","1.5":"b","1e+09":"a","1e-07":"e"}',
    );
  });
});
