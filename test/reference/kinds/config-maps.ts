// SPDX-License-Identifier: Apache-2.0
/** At most one bad key: Go's maps tell several in no order. */
import fc from 'fast-check';
import {type Body, rarely, type Subject, some} from '../steps.ts';

const key = fc.constantFrom('k', 'l', 'multi.line', 'K_1');
const text = fc.constantFrom('1', '2', '', 'a\nb\n', 'é😀', '<&>');
const odd = fc.constantFrom<unknown>(7, true, null, {}, ['x']);
const data = fc.oneof(
  {weight: 12, arbitrary: fc.dictionary(key, text, {maxKeys: 3})},
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>({'a b': '1'}, {'..': '1'}, {'': '1'}, {'..a': '1'}, {['k'.repeat(254)]: '1'}),
  },
  {weight: 1, arbitrary: odd.map(value => ({k: value}))},
  {weight: 1, arbitrary: fc.constantFrom<unknown>({}, null, [], 'x')},
);
const bytes = fc.constantFrom('AA==', 'AAECAw==', '', 'dmFs\ndWU=');
const binaryData = fc.oneof(
  {weight: 10, arbitrary: fc.dictionary(fc.constantFrom('b', 'bin'), bytes, {maxKeys: 2})},
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>({k: 'AA=='}, {'b c': 'AA=='}, {b: '!'}, {b: 'AA'}, {b: 7}, {b: null}),
  },
  {weight: 1, arbitrary: fc.constantFrom<unknown>({}, null, [])},
);

export const configMaps: Subject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  resource: 'configmaps',
  fields: some({
    data,
    binaryData,
    immutable: fc.oneof(
      {weight: 3, arbitrary: fc.constant<unknown>(false)},
      {weight: 1, arbitrary: fc.constantFrom<unknown>(true, true, true, null, 'true')},
    ),
  }) as fc.Arbitrary<Body>,
  valid: {data: {k: '1'}},
  pointers: ['/data', '/data/k', '/data/l', '/data/multi.line', '/binaryData', '/binaryData/b', '/immutable'],
  values: rarely(
    fc.constantFrom<unknown>('1', 'AA==', {}, {k: '2'}, true, false),
    fc.constantFrom<unknown>(5, null, []),
  ),
  fieldSelectors: ['metadata.name=web', 'metadata.name!=web', 'data.k=1'],
};
