// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {
  descriptionFaults,
  exceptionFaults,
  idleExceptions,
  isForeignThreatId,
  labelFaults,
  mistakenExceptions,
  networkFaults,
  parseThreatId,
} from './endpoint-rules.ts';

describe('network', () => {
  test.each([
    'n',
    'My.net_1-x',
    'global/networks/n',
    'projects/p/global/networks/n',
    'projects/example.com:p/global/networks/n',
    'https://www.googleapis.com/compute/v1/projects/p/global/networks/n',
    'https://compute.googleapis.com/compute/beta/projects/p/global/networks/n',
    'http://127.0.0.1:8080/compute/v1/projects/p/global/networks/n',
    'https://net.example/projects/p/global/networks/n',
  ])('F-28 %s names a network', network => expect(networkFaults(network)).toEqual([]));

  test.each([
    'foo/bar',
    'foo/networks/bar',
    'networks/n',
    'projects/p/networks/n',
    'projects/p/global/networks/',
    'projects/p/global/networks/n/x',
    'projects/p/regions/r/subnetworks/n',
    'projects//global/networks/n',
    'x/projects/p/global/networks/n',
    'https://host/global/networks/n',
    'https://host/projects/p/networks/n',
    'ftp://host/projects/p/global/networks/n',
    'https://www.googleapis.com/compute/v1/projects/p/global/networks/n?x=1',
    '-n',
    'my net',
    '',
    'n\n',
  ])('F-28 %j does not', network => {
    expect(networkFaults(network)).toEqual([
      {reason: expect.stringMatching(/^".*" is not the name of a network: use /)},
    ]);
  });

  test('F-28 a name of 2000 characters is too long', () => {
    expect(networkFaults('n'.repeat(2000))).toEqual([{reason: 'must be no longer than 1024 characters'}]);
  });
});

describe('threat exceptions', () => {
  test.each([
    ['30845', {gid: 1, sid: 30845}],
    ['1:2019401', {gid: 1, sid: 2019401}],
    [' 3:7 ', {gid: 3, sid: 7}],
    ['0001:0002', {gid: 1, sid: 2}],
    ['4294967295', {gid: 1, sid: 4294967295}],
  ])('F-28 %j is a threat id', (text, id) => {
    expect(parseThreatId(text)).toEqual(id);
    expect(idleExceptions([text])).toEqual([]);
  });

  test.each([
    'T-1',
    'foo',
    'sid:1',
    '1:2:3',
    '1:',
    ':1',
    '1.5',
    '-1',
    '0x10',
    '1;2',
    '4294967296',
    '5000000000:1',
    '１',
  ])('F-28 %j is none, and can match nothing', text => {
    expect(parseThreatId(text)).toBeUndefined();
    expect(idleExceptions(['1', text])).toEqual([{at: 1, reason: expect.stringContaining('is not a threat id')}]);
    expect(exceptionFaults([text])).toEqual([]); // the API keeps it
  });

  test('F-28 what the API refuses; values that are not known yet are counted and not judged', () => {
    expect(exceptionFaults(['1', ' ', 'x'.repeat(257)])).toEqual([
      {at: 1, reason: expect.stringContaining('must not be empty')},
      {at: 2, reason: 'must be no longer than 256 characters'},
    ]);
    const known = Array.from({length: 98}, (_, i) => String(i));
    expect(exceptionFaults([...known, ...known, {}])).toEqual([]);
    expect(exceptionFaults([...known, {}, {}])).toEqual([{reason: 'too many: 100, at most 99'}]);
    expect(idleExceptions([{}, ''])).toEqual([]); // the empty one is refused above
  });
});

test.each([
  ['T-1', true],
  ['CVE-2024-1', true],
  ['tid_30845', true],
  ['foo', false],
  ['not-an-id', false],
  ['a b1', false],
  ['sid:1', false],
  ['1:2:3', false],
  ['4294967296', false],
  ['1.5', false],
  [' T-1', false],
  ['1', false],
])('F-28 %j may be an id of another product: %s', (text, may) => {
  expect(isForeignThreatId(text)).toBe(may);
  expect(mistakenExceptions(['1', text])).toHaveLength(may ? 0 : idleExceptions([text]).length);
});

test('F-28 labels and description', () => {
  expect(labelFaults({env: 'prod', 'a_b-c': '', later: {}})).toEqual([]);
  expect(labelFaults({Upper: 'x', k: '🛡'.repeat(64), ok: '🛡'.repeat(63)})).toEqual([
    {at: 'Upper', reason: expect.stringContaining('the key must start with a lowercase letter')},
    {at: 'k', reason: 'the value must be no longer than 63 characters'},
  ]);
  expect(labelFaults(Object.fromEntries(Array.from({length: 65}, (_, i) => [`k${i}`, ''])))).toEqual([
    {reason: 'too many: 65, at most 64'},
  ]);
  expect(descriptionFaults('x'.repeat(65_536))).toEqual([]);
  expect(descriptionFaults('x'.repeat(65_537))).toEqual([{reason: 'must be no longer than 65536 characters'}]);
});
