// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {endWords, type ListSearch, matching, splitWords} from './list-search.ts';
import {isFailing, toEndpointsRow} from './row.ts';

const web = toEndpointsRow({
  metadata: {name: 'web', namespace: 'shop', labels: {app: 'web', tier: 'front'}},
  subsets: [
    {
      addresses: [{ip: '10.0.0.1'}, {ip: '10.0.0.2'}],
      notReadyAddresses: [{ip: '10.0.0.3'}],
      ports: [
        {name: 'http', port: 8080},
        {port: 53, protocol: 'UDP'},
      ],
    },
  ],
});
const idle = toEndpointsRow({metadata: {name: 'idle', namespace: 'default'}});
const ALL: ListSearch = {q: '', namespace: '', label: [], port: undefined, failing: false, sort: ''};
const found = (search: Partial<ListSearch>) => matching([web, idle], {...ALL, ...search}).map(({name}) => name);

test('49-3 a row has counts, ports and the failing addresses', () => {
  expect(web).toMatchObject({
    ready: 2,
    total: 3,
    ports: 'http:8080, 53/UDP',
    failing: ['10.0.0.3'],
    portNumbers: [8080, 53],
  });
  expect([web, idle].map(isFailing)).toEqual([true, false]);
});

test.each<[string, Partial<ListSearch>, string[]]>([
  ['nothing asked', {}, ['web', 'idle']],
  ['part of a name', {q: 'WE'}, ['web']],
  ['the beginning of an address', {q: '10.0.0.'}, ['web']],
  ['not the middle of an address', {q: '0.0.1'}, []],
  ['two words, both must match', {q: 'web 10.0.0.3'}, ['web']],
  ['a label', {label: ['app=web']}, ['web']],
  ['a key of a label', {label: ['tier']}, ['web']],
  ['two labels, both must match', {label: ['app=web', 'tier=back']}, []],
  ['a port', {port: 53}, ['web']],
  ['a port as its column shows it', {q: 'http:8080'}, ['web']],
  ['a port with its protocol', {q: '53/UDP'}, ['web']],
  ['not the beginning of a port', {q: 'http:80'}, []],
  ['a label that is still typed', {q: 'app=web'}, ['web']],
  ['a port that is still typed', {q: ':53'}, ['web']],
  ['a beginning of a label is another label', {q: 'app=we'}, []],
  ['ports as they are copied from the column', {q: 'http:8080, 53/UDP'}, ['web']],
  ['a namespace', {namespace: 'default'}, ['idle']],
  ['only failing', {failing: true}, ['web']],
])('49-3 filters: %s', (_, search, expected) => expect(found(search)).toEqual(expected));

test('49-3 words of the field become filters when they are ended', () => {
  expect(splitWords('web app=web, :8080 10.0')).toEqual({q: 'web 10.0', label: ['app=web'], ports: [8080]});
  const before = {label: ['app=web'], port: 53};
  expect(endWords('web app=web tier=front', before)).toEqual({q: 'web', label: ['app=web', 'tier=front'], port: 53});
  expect(endWords(':8080', before)).toEqual({q: '', label: ['app=web'], port: 8080});
  expect([endWords('web 10.0 ', before), endWords(':0 :70000', before)]).toEqual([undefined, undefined]);
});
