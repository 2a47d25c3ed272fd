// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {escapeValue, parseFieldSelector} from './field-selector.ts';
import {parseLabelSelector} from './label-selector.ts';

describe('label selectors: what matches', () => {
  test.each([
    ['an empty selector takes all', '', {}, true],
    ['equality', 'a=1', {a: '1'}, true],
    ['equality with another value', 'a==1', {a: '2'}, false],
    ['inequality holds without the key', 'a!=1', {}, true],
    ['inequality', 'a!=1', {a: '1'}, false],
    ['set', 'a in (1,2)', {a: '2'}, true],
    ['a set needs the key', 'a in (1,)', {}, false],
    ['a set may hold the empty value', 'a in (1,)', {a: ''}, true],
    ['an empty set means the empty value', 'a in ()', {a: ''}, true],
    ['not in a set holds without the key', 'a notin (1)', {}, true],
    ['existence', 'a', {a: ''}, true],
    ['absence', '!a', {a: ''}, false],
    ['greater', 'a>5', {a: '10'}, true],
    ['greater than a value that is no number', 'a>5', {a: 'x'}, false],
    ['less', 'a<5', {a: '-2'}, true],
    ['commas are and', 'a=1,b', {a: '1'}, false],
    ['spaces do not count', ' a  in ( 1 , 2 ) , b ', {a: '1', b: ''}, true],
    ['an empty value', 'a=', {a: ''}, true],
    ['words of the language as keys', 'in in (in)', {in: 'in'}, true],
    ['keys that every object has', 'constructor', {}, false],
    ['a key twice', 'a=1,a=2', {a: '1'}, false],
  ])('%s', (_, text, labels, want) => expect(parseLabelSelector(text).matches(labels as never)).toBe(want));
});

describe('label selectors: what is refused', () => {
  test.each([
    ['a=b=c', "found '=', expected: ',' or 'end of string'"],
    ['a,,b', "found ',', expected: identifier after ','"],
    ['a in x', "unable to parse requirement: found 'x' expected: '('"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['=a', "found '=', expected: !, identifier, or 'end of string'"],
    ['!=a', "found '!=', expected: !, identifier, or 'end of string'"],
    [
      'a>x',
      "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    [
      'a/b/c',
      `unable to parse requirement: <nil>: Invalid value: "a/b/c": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ],
  ])('%s', (text, message) => expect(() => parseLabelSelector(text)).toThrow(new Error(message)));

  test('a value that is no label value, by its place', () => {
    expect(() => parseLabelSelector('k=_')).toThrow(
      /^unable to parse requirement: values\[0\]\[k\]: Invalid value: "_": a valid label must be/,
    );
  });
});

describe('label selectors: laws', () => {
  const key = fc.constantFrom('a', 'b', 'x.y/z');
  const value = fc.constantFrom('', '1', '2', 'v');
  const requirement = fc.oneof(
    fc.tuple(key, fc.constantFrom('=', '==', '!='), value).map(([k, op, v]) => `${k}${op}${v}`),
    fc
      .tuple(key, fc.constantFrom('in', 'notin'), fc.array(value, {minLength: 1, maxLength: 3}))
      .map(([k, op, vs]) => `${k} ${op} (${vs.join(',')})`),
    key,
    key.map(k => `!${k}`),
    fc.tuple(key, fc.constantFrom('>', '<'), fc.nat()).map(([k, op, v]) => `${k}${op}${v}`),
  );
  const selector = fc.array(requirement, {maxLength: 4}).map(parts => parts.join(','));
  const labels = fc.dictionary(key, value);
  const RUNS = {numRuns: 400, seed: 20260501};

  test('a selector means what its canonical text means', () => {
    fc.assert(
      fc.property(selector, labels, (text, set) => {
        const parsed = parseLabelSelector(text);
        const again = parseLabelSelector(parsed.toString());
        expect(again.toString()).toBe(parsed.toString());
        expect(again.matches(set)).toBe(parsed.matches(set));
      }),
      RUNS,
    );
  });

  test('a requirement and its opposite divide all label sets', () => {
    fc.assert(
      fc.property(key, fc.array(value, {minLength: 1}), labels, (k, values, set) => {
        const list = `(${values.join(',')})`;
        expect(parseLabelSelector(`${k} in ${list}`).matches(set)).toBe(
          !parseLabelSelector(`${k} notin ${list}`).matches(set),
        );
        expect(parseLabelSelector(k).matches(set)).toBe(!parseLabelSelector(`!${k}`).matches(set));
      }),
      RUNS,
    );
  });

  test('any text is read or refused with an Error', () => {
    fc.assert(
      fc.property(
        fc.string({unit: fc.constantFrom('a', '=', '!', '(', ')', ',', '<', '>', ' ', 'i', 'n', '1', '\0')}),
        text => {
          try {
            parseLabelSelector(text);
          } catch (error) {
            expect((error as Error).constructor).toBe(Error);
          }
        },
      ),
      RUNS,
    );
  });
});

describe('field selectors', () => {
  test.each([
    ['metadata.name=a', {'metadata.name': 'a'}, true],
    ['metadata.name==a,metadata.namespace!=b', {'metadata.name': 'a', 'metadata.namespace': 'b'}, false],
    ['metadata.name!=a', {}, true],
    ['metadata.name=', {}, true],
    ['metadata.name=a\\,b\\=c\\\\', {'metadata.name': 'a,b=c\\'}, true],
    ['', {}, true],
    [',,', {}, true],
  ])('%s on %j', (text, fields, want) => expect(parseFieldSelector(text).matches(fields as never)).toBe(want));

  test.each([
    ['x', "invalid selector: 'x'; can't understand 'x'"],
    ['a=b,x', "invalid selector: 'a=b,x'; can't understand 'x'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['a=\\', 'invalid field selector: invalid escape sequence: \\'],
  ])('%s is refused', (text, message) => expect(() => parseFieldSelector(text)).toThrow(new Error(message)));

  test('an escaped value comes back as it was', () => {
    fc.assert(
      fc.property(fc.string({unit: fc.constantFrom('a', ',', '=', '\\', 'é')}), value => {
        const {requirements} = parseFieldSelector(`f=${escapeValue(value)}`);
        expect(requirements).toEqual([{field: 'f', operator: '=', value}]);
      }),
      {seed: 20260501},
    );
  });
});
