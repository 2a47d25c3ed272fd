// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {givenRule} from '../rule-files.ts';
import type {LoadedFile} from './rule-file.ts';
import {filesNamedIn, withSideFiles, withValues} from './side-files.ts';

const http = (options: string): string => `alert http any any -> any any (msg:"a\\; load x"; ${options} sid:1;)`;

test.each<[string, readonly string[]]>([
  ['http.uri; dataset:isset,bad,type string,load bad.lst;', ['bad.lst']],
  ['http.uri; dataset : isset, bad, type string, load lists/bad list.lst , memcap 10mb;', ['lists/bad list.lst']],
  ['http.uri; datarep:rep,>,10,load rep.lst,type string;', ['rep.lst']],
  ['http.uri; dataset:isset,known,type string;', []],
  ['filemd5:a.md5; filesha1:!b.sha1; filesha256:"c.sha256";', ['a.md5', 'b.sha1', 'c.sha256']],
  ['content:"filemd5:no.lst"; pcre:"/dataset:x,load y/";', []],
])('43-2 files that a rule names: %s', (options, names) => {
  expect(filesNamedIn(http(options))).toEqual(names);
});

test('43-2 only the values that were asked for change, letter for letter', () => {
  const rule = http('content:"x\\;y"; dataset:isset,b,type string,load b.lst; nocase;');
  expect(withValues(rule, () => undefined)).toBe(rule);
  expect(withValues(rule, (name, value) => (name === 'content' ? value.toUpperCase() : undefined))).toBe(
    rule.replace('"x\\;y"', '"X\\;Y"'),
  );
});

test('43-2 a rule that the name of its file in the set makes too long is refused, as Suricata would read two', async () => {
  const file: LoadedFile = {
    ...{source: 'a.rules', path: 'a.rules', text: '', encoding: 'utf8', sourceIndex: 0},
    beside: async () => Buffer.from('x'),
  };
  const place = {file: 'a.rules', fileIndex: 0, line: 1, number: 1};
  const rule = givenRule(place, http(`content:"${'a'.repeat(8_100)}"; filemd5:l;`), 'utf8');
  expect(rule.fault).toBeUndefined();
  expect((await withSideFiles([rule], [file])).rules).toMatchObject([
    {fault: expect.stringMatching(/^the rule has \d+ bytes, and Suricata reads at most 8191/)},
  ]);
});

test('43-2 files have names made of their content; the same content is one file, and a changed one another', async () => {
  let content = 'one';
  const file: LoadedFile = {
    ...{source: 'a.rules', path: 'a.rules', text: '', encoding: 'utf8', sourceIndex: 0},
    beside: async name => (name === 'none' ? 'it is not there' : Buffer.from(content)),
  };
  const rules = ['filemd5:a.lst;', 'filemd5:!b.lst;', 'filemd5:none;', 'content:"x";'].map((options, index) =>
    givenRule({file: 'a.rules', fileIndex: 0, line: index + 1, number: index + 1}, http(options), 'utf8'),
  );
  const placed = await withSideFiles(rules, [file]);
  const [name = ''] = placed.side.keys();
  expect([placed.side.size, name]).toEqual([1, expect.stringMatching(/^side-[0-9a-f]{20}\.lst$/)]);
  expect(placed.rules.map(({engineText}) => engineText)).toEqual([
    http(`filemd5:${name};`),
    http(`filemd5:!${name};`),
    http('filemd5:none;'),
    http('content:"x";'),
  ]);
  expect(placed.rules.map(({fault}) => fault)).toEqual([
    undefined,
    undefined,
    'it names the file "none": it is not there',
    undefined,
  ]);
  expect(placed.rules[0]?.text).toBe(http('filemd5:a.lst;'));
  content = 'two';
  expect([...(await withSideFiles(rules, [file])).side.keys()]).not.toContain(name);
});

test('48-6 a text that is no whole rule stays as it is', () => {
  for (const text of ['(', 'alert (', ') (', 'alert tcp any any -> any any (msg:"x"'])
    expect(withValues(text, () => undefined)).toBe(text);
});
