// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {IdsEndpointMessage} from './endpoint.ts';
import {ENDPOINT_LIST} from './list-schemas.ts';
import {parseOrderBy} from './order-by.ts';
import {decodePageToken, encodePageToken} from './page-token.ts';
import {parseSelection, selectFields} from './partial-response.ts';
import {formatTimestamp, parseTimestamp} from './timestamp.ts';

const items = [
  {name: 'a', severity: 'HIGH', createTime: '2024-01-01T00:00:00.9Z', labels: {k: '2'}},
  {name: 'b', severity: 'LOW', createTime: '2024-01-01T00:00:00.10Z'},
  {name: 'c', severity: 'CRITICAL', createTime: '2024-01-01T01:00:00+02:00', labels: {k: '1'}},
  {name: 'd', severity: 'LOW', createTime: '2024-01-01T00:00:01Z', labels: {k: '1'}},
] as unknown as IdsEndpointMessage[];

const sorted = (orderBy: string): string => {
  const order = parseOrderBy(orderBy, ENDPOINT_LIST);
  return items
    .map(item => ({name: item.name, key: order.keyOf(item)}))
    .sort((x, y) => order.compare(x.key, y.key) || (x.name < y.name ? -1 : 1))
    .map(row => row.name)
    .join('');
};

describe('order', () => {
  test.each([
    {orderBy: 'name', want: 'abcd'},
    {orderBy: 'name desc', want: 'dcba'},
    {orderBy: '  name   desc ', want: 'dcba'},
    {orderBy: 'severity', want: 'bdac'},
    {orderBy: 'severity desc, name desc', want: 'cadb'},
    {orderBy: 'severity,name desc', want: 'dbac'},
    {orderBy: 'create_time', want: 'cbad'},
    {orderBy: 'createTime desc', want: 'dabc'},
    {orderBy: 'labels.k', want: 'bcda'},
    {orderBy: 'severity asc', want: 'bdac'},
  ])('I-110 orderBy "$orderBy"', ({orderBy, want}) => {
    expect(sorted(orderBy)).toBe(want);
  });
  test.each([
    'flavour',
    'name sideways',
    'name desc desc',
    'name,',
    ',name',
    'labels',
    'threatExceptions',
    'name;desc',
  ])('I-097 refuses orderBy "%s"', orderBy => {
    expect(() => sorted(orderBy)).toThrow(/.+/);
  });
});

describe('page tokens', () => {
  test('a token gives its position back for its own query only', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.jsonValue(), fc.string(), (query, position, other) => {
        const token = encodePageToken(query, position);
        expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(decodePageToken(query, token)).toEqual(JSON.parse(JSON.stringify(position)));
        expect(decodePageToken([...query, other], token)).toBeUndefined();
      }),
    );
  });
  test('an altered token is refused at whatever place', () => {
    const token = encodePageToken(['endpoints', 'projects/p'], {name: 'projects/p/locations/l/endpoints/e', key: [1]});
    for (let i = 0; i < token.length; i += 1) {
      const char = token[i] === 'A' ? 'B' : 'A';
      const altered = token.slice(0, i) + char + token.slice(i + 1);
      const decoded = decodePageToken(['endpoints', 'projects/p'], altered);
      // The last character may hold unused bits: then the token says the same.
      if (decoded !== undefined) expect(i).toBe(token.length - 1);
    }
    for (const text of ['', 'definitely-not-a-token', '!!', 'A'.repeat(9_000)])
      expect(decodePageToken([], text)).toBeUndefined();
  });
});

describe('fields', () => {
  const value = {endpoints: [{name: 'a', state: 'READY', labels: {k: 'v'}}], nextPageToken: 't', other_name: 1};
  test.each([
    {fields: 'nextPageToken', want: {nextPageToken: 't'}},
    {fields: 'endpoints/name', want: {endpoints: [{name: 'a'}]}},
    {fields: 'endpoints.name', want: {endpoints: [{name: 'a'}]}},
    {
      fields: 'endpoints(name,state),next_page_token',
      want: {endpoints: [{name: 'a', state: 'READY'}], nextPageToken: 't'},
    },
    {fields: 'endpoints/name,endpoints/state', want: {endpoints: [{name: 'a', state: 'READY'}]}},
    {fields: 'endpoints/labels/k', want: {endpoints: [{labels: {k: 'v'}}]}},
    {fields: 'other_name', want: {other_name: 1}},
    {fields: '*', want: value},
    {fields: 'unknown', want: {}},
  ])('$fields', ({fields, want}) => {
    const selection = parseSelection(fields);
    expect(selection && selectFields(value, selection)).toEqual(want);
  });
  test.each(['a(', 'a(b', ',', 'a,,b', '(a)', 'a)', 'a/', '<script>', 'a b'])('refuses "%s"', fields => {
    expect(parseSelection(fields)).toBeUndefined();
  });
});

describe('timestamps', () => {
  test.each([
    ['2024-05-27T22:22:32Z', 1716848552000],
    ['2024-05-27T22:22:32.892705459Z', 1716848552892.7056],
    ['2024-05-28T00:22:32+02:00', 1716848552000],
    ['2024-05-27t22:22:32z', 1716848552000],
    ['2024-05-27T22:22:32.892Z', 1716848552892],
    ['2024-01-31T23:59:59.001Z', 1706745599001],
    ['2024-02-30T00:00:00Z', undefined],
    ['2023-02-29T00:00:00.000Z', undefined],
    ['2024-13-01T00:00:00Z', undefined],
    ['2024-00-01T00:00:00Z', undefined],
    ['2024-05-27T22:22:60Z', undefined],
    ['2024-05-27T22:22:3xZ', undefined],
    ['2024-05-27T22:22:32.8x2Z', undefined],
    ['2024-05-27T24:00:00Z', undefined],
    ['2024-05-27', undefined],
    ['2024-05-27T22:22:32', undefined],
  ])('%s is %s ms', (text, want) => {
    const got = parseTimestamp(text);
    if (want === undefined) expect(got).toBeUndefined();
    else expect(got).toBeCloseTo(want, 3);
  });
  test('I-051 whole seconds have no fraction, others three digits', () => {
    expect([formatTimestamp(0), formatTimestamp(1)]).toEqual(['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.001Z']);
  });
});
