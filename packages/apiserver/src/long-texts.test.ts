// SPDX-License-Identifier: Apache-2.0
/** Texts of clients are read in time that grows with their length, not with its square: these would take minutes. */

import {jsonToYaml} from '@palisade/kube-wire/yaml';
import {expect, test} from 'vitest';
import {bodyTypeOf, type HttpRequest} from './http/exchange.ts';
import {negotiatePlain} from './request/accept.ts';
import {parseQuery} from './request/query.ts';
import {parseRequestInfo} from './request/request-info.ts';
import {applyBodyToValue} from './verbs/yaml-body.ts';

const LENGTH = 500_000;

test('spaces in an Accept header', () => {
  const inside = `application/json${' '.repeat(LENGTH)}x`;
  expect(negotiatePlain(inside)).toBeUndefined();
  expect(negotiatePlain(`${inside}, application/yaml`)).toMatchObject({encoding: 'yaml'});
});

test('digits of a quality in an Accept header', () => {
  const digits = '1'.repeat(LENGTH);
  expect(negotiatePlain(`application/json;q=${digits}x, application/yaml;q=0.1`)).toMatchObject({encoding: 'yaml'});
});

test('clauses of an Accept header: the first 256 count', () => {
  const many = (count: number): string => `${'text/*,'.repeat(count)}application/yaml`;
  expect(negotiatePlain(many(255))).toMatchObject({encoding: 'yaml'});
  expect(negotiatePlain(many(256))).toBeUndefined();
  expect(negotiatePlain('*/*;q=0.1,'.repeat(LENGTH) + 'application/yaml,'.repeat(LENGTH))).toMatchObject({
    encoding: 'json',
  });
});

test('blanks in a Content-Type', () => {
  const typeOf = (value: string): string =>
    bodyTypeOf({method: 'POST', headers: {'content-type': value}} as HttpRequest);
  const blanks = ' '.repeat(LENGTH);
  expect(typeOf(`a/B${blanks};${blanks}`)).toBe('a/b');
  expect(typeOf(`a/b;c=d${blanks}`)).toBe('a/b');
  for (const none of [`a/b${blanks}(`, `a/b;c=d${blanks}(`, `a/b;${blanks}(`]) expect(typeOf(none)).toBe(none);
});

test('slashes in a path', () => {
  const info = parseRequestInfo('GET', `//api/v1/a${'/'.repeat(LENGTH)}b//`, parseQuery(''));
  expect(info).toMatchObject({resource: 'a', name: '', parts: expect.objectContaining({length: LENGTH})});
});

test('line breaks in the body of an apply', () => {
  const breaks = '\n'.repeat(LENGTH);
  expect(applyBodyToValue(Buffer.from(`{"a"${' '.repeat(9)}:${breaks}1}`)).value).toEqual({a: 1});
  expect(applyBodyToValue(Buffer.from(`{"a":"b"${breaks}}`)).value).toEqual({a: 'b'});
});

test('spaces in an answer in YAML', () => {
  const text = `${' '.repeat(LENGTH)}x \x85 y`;
  expect(jsonToYaml(JSON.stringify({a: text})).slice(-8)).toBe(" x\n  y'\n");
});
