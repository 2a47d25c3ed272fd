// SPDX-License-Identifier: Apache-2.0
/** At most one bad key: Go's maps tell several in no order. */
import fc from 'fast-check';
import {type Body, rarely, type Subject, some} from '../steps.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const bytes = fc.constantFrom('dmFsdWU=', 'QQ==', '', base64('{}'), base64('{"auths":{}}'), 'dmFs\ndWU=');
const keys = [
  'k',
  'l',
  'tls.crt',
  'tls.key',
  '.dockercfg',
  '.dockerconfigjson',
  'username',
  'password',
  'ssh-privatekey',
] as const;
const document = fc.constantFrom(
  ...['{}', 'null', '[]', '"x"', '7', 'true', '{', '{"a":1}x', '{"a":}', 'nul'].map(base64),
);
const data = fc.oneof(
  {weight: 12, arbitrary: fc.dictionary(fc.constantFrom(...keys), bytes, {maxKeys: 4})},
  {weight: 2, arbitrary: document.map((value): unknown => ({'.dockerconfigjson': value}))},
  {weight: 1, arbitrary: document.map((value): unknown => ({'.dockercfg': value}))},
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>({'a b': 'QQ=='}, {'..': 'QQ=='}, {'': 'QQ=='}, {['k'.repeat(254)]: ''}),
  },
  {weight: 1, arbitrary: fc.constantFrom<unknown>({k: '!'}, {k: 'YQ'}, {k: 1}, {k: null}, {k: {}}, {}, null, ['x'])},
);
const stringData = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.dictionary(fc.constantFrom('k', 's', 'tls.key'), fc.constantFrom('text', '', 'é😀', '{}'), {
      maxKeys: 2,
    }),
  },
  {weight: 1, arbitrary: fc.constantFrom<unknown>({k: null}, {k: 7}, {}, null, 'x', {'a b': '1'})},
);
const type = rarely(
  fc.constantFrom('Opaque', 'Opaque', 'Opaque', '', 'example.com/t'),
  fc.constantFrom<unknown>(null, 7, 'any text'),
);
const known = fc.constantFrom(
  'kubernetes.io/tls',
  'kubernetes.io/dockercfg',
  'kubernetes.io/dockerconfigjson',
  'kubernetes.io/basic-auth',
  'kubernetes.io/ssh-auth',
  'kubernetes.io/service-account-token',
);

export const secrets: Subject = {
  apiVersion: 'v1',
  kind: 'Secret',
  resource: 'secrets',
  fields: some({
    data,
    stringData,
    type: fc.oneof({weight: 3, arbitrary: type}, {weight: 1, arbitrary: known}),
    immutable: fc.oneof(
      {weight: 3, arbitrary: fc.constant<unknown>(false)},
      {weight: 1, arbitrary: fc.constantFrom<unknown>(true, true, true, null, 'true')},
    ),
  }) as fc.Arbitrary<Body>,
  valid: {type: 'Opaque'},
  pointers: ['/data', '/data/k', '/data/l', '/stringData', '/stringData/k', '/type', '/immutable'],
  values: rarely(
    fc.constantFrom<unknown>('QQ==', 'text', {}, {k: 'QQ=='}, {z: 'zz'}, true, 'kubernetes.io/tls'),
    fc.constantFrom<unknown>(5, null, []),
  ),
  fieldSelectors: ['metadata.name=web', 'type=Opaque', 'type!=Opaque', 'type=example.com/t', 'data.k=1'],
};
