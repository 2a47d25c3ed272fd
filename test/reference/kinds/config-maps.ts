// SPDX-License-Identifier: Apache-2.0
/** At most one bad key: Go's maps tell several in no order. */
import fc from 'fast-check';
import {type Body, rarely, type Subject, some, withOneOdd} from '../steps.ts';

const key = fc.constantFrom('k', 'l', 'multi.line', 'K_1');
const text = fc.constantFrom('1', '2', '', 'a\nb\n', 'é😀', '<&>');
const bytes = fc.constantFrom('AA==', 'AAECAw==', '', 'dmFs\ndWU=');

const good = some({
  data: fc.dictionary(key, text, {maxKeys: 3}),
  binaryData: fc.dictionary(fc.constantFrom('b', 'bin'), bytes, {maxKeys: 2}),
  immutable: fc.constantFrom(false, false, false, true),
}) as fc.Arbitrary<Body>;

const odd = {
  data: fc.constantFrom<unknown>(
    {'a b': '1'},
    {'..': '1'},
    {'': '1'},
    {'..a': '1'},
    {['k'.repeat(254)]: '1'},
    ...[7, true, null, {}, ['x']].map(value => ({k: value})),
    {},
    null,
    [],
    'x',
  ),
  binaryData: fc.constantFrom<unknown>(
    {k: 'AA=='},
    {'b c': 'AA=='},
    ...['!', 'AA', 7, null, {}, [1, 2], [256], ['x'], []].map(value => ({b: value})),
    {},
    null,
    [],
  ),
  immutable: fc.constantFrom<unknown>(null, 'true', 1),
};

export const configMaps: Subject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  resource: 'configmaps',
  fields: withOneOdd(good, odd),
  valid: {data: {k: '1'}},
  pointers: ['/data', '/data/k', '/data/l', '/data/multi.line', '/binaryData', '/binaryData/b', '/immutable'],
  values: rarely(
    fc.constantFrom<unknown>('1', 'AA==', {}, {k: '2'}, true, false),
    fc.constantFrom<unknown>(5, null, []),
  ),
  fieldSelectors: ['metadata.name=web', 'metadata.name!=web', 'data.k=1'],
};
