// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {foundText, matchesOf, placesOf} from './match.ts';
import {contentBytes, parseRule} from './rule-text.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const RULE = String.raw`alert http any any -> any any (msg:"A \; b: <img src=x>"; flow:established; content:"GET|20 2F|"; depth:5; http.uri; content:"/Etc/Passwd"; nocase; content:!"ok"; http.user_agent; content:"x\;y\"z"; sid:1; rev:2;)`;

test('49-3 a rule comes in pieces that are its whole text, and names what each content looks at', () => {
  const {pieces, contents} = parseRule(RULE);
  expect(pieces.map(({text}) => text).join('')).toBe(RULE);
  expect(pieces.filter(({kind}) => kind === 'content').map(({text}) => text)).toEqual([
    '"GET|20 2F|"',
    '"/Etc/Passwd"',
    '!"ok"',
    String.raw`"x\;y\"z"`,
  ]);
  const texts = contents.map(({bytes}) => new TextDecoder().decode(bytes));
  expect(texts).toEqual(['GET /', '/Etc/Passwd', 'ok', 'x;y"z']);
  expect(contents.map(({buffer}) => buffer)).toEqual(['', 'http.uri', 'http.uri', 'http.user_agent']);
  expect(contents.map(({isNoCase, isNegated}) => [isNoCase, isNegated])).toEqual([
    [false, false],
    [true, false],
    [false, true],
    [false, false],
  ]);
});

test('49-3 older rules name the buffer after the content; a text without options is no rule', () => {
  const {contents} = parseRule(
    'alert tcp any any -> any any (content:"a"; http_uri; file_data; content:"b"; pkt_data; content:"c"; sid:1;)',
  );
  expect(contents.map(({buffer}) => buffer)).toEqual(['http.uri', 'file_data', '']);
  expect(parseRule('<b>').pieces).toEqual([{text: '<b>', kind: 'plain'}]);
});

test('49-3 what matched is marked in the payload, or found in the fields of its protocol', () => {
  const {contents} = parseRule(RULE);
  const payload = bytesOf('GET /etc/passwd HTTP/1.1 ok');
  const {found, ranges} = matchesOf(contents, payload, [
    {path: 'http.http_user_agent', text: 'agent x;Y"z'},
    {path: 'dns.rrname', text: 'x;y"z'},
  ]);
  expect(ranges).toEqual([
    {start: 0, end: 5},
    {start: 4, end: 15},
  ]);
  expect([...found.keys()]).toEqual([0, 1, 3]);
  expect(found.get(3)).toEqual({ranges: [], fields: ['http.http_user_agent']});
  expect(matchesOf(contents, undefined, []).found.size).toBe(0);
});

test('49-3 places do not overlap, and bytes in hexadecimal are bytes', () => {
  expect(placesOf(bytesOf('aaaa'), bytesOf('aa'), false)).toEqual([
    {start: 0, end: 2},
    {start: 2, end: 4},
  ]);
  expect(placesOf(bytesOf('a'), bytesOf(''), false)).toEqual([]);
  expect([...contentBytes('|00 ff|a|0d0A|')]).toEqual([0, 255, 97, 13, 10]);
});

test('49-3 how many texts of a rule were found is a plain sentence', () => {
  expect(foundText(1, 1)).toBe('The text that the rule looks for was found in the stored data and is marked.');
  expect(foundText(0, 1)).toBe('The text that the rule looks for was not found in the stored data.');
  expect(foundText(1, 3)).toBe('1 of the 3 texts that the rule looks for was found in the stored data and is marked.');
  expect(foundText(3, 3)).toMatch(/^All 3 texts .* were found in the stored data and are marked\.$/);
  expect(foundText(0, 3)).toBe('The 3 texts that the rule looks for were not found in the stored data.');
});
