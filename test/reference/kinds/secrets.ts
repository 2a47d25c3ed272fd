// SPDX-License-Identifier: Apache-2.0
/** At most one bad key: Go's maps report several in any order. */
import fc from 'fast-check';
import {type Body, rarely, type Subject, some, withOneOdd} from '../steps.ts';
import {certificatePem, pemText} from './pem-texts.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const KEYS = [
  'k',
  'l',
  'tls.crt',
  'tls.key',
  '.dockercfg',
  '.dockerconfigjson',
  'username',
  'password',
  'ssh-privatekey',
];
const DOCUMENTS = ['{}', '{"auths":{}}', 'null', '[]', '"x"', '7', 'true', '{', '{"a":1}x', '{"a":}', 'nul'].map(
  base64,
);
const TYPES = ['tls', 'dockercfg', 'dockerconfigjson', 'basic-auth', 'ssh-auth', 'service-account-token'];
const bytes = fc.constantFrom('dmFsdWU=', 'QQ==', '', base64('{}'), 'dmFs\ndWU=');

const good = some({
  data: fc.oneof(
    {weight: 5, arbitrary: fc.dictionary(fc.constantFrom(...KEYS), bytes, {maxKeys: 4})},
    {
      weight: 1,
      arbitrary: fc.dictionary(fc.constantFrom('.dockercfg', '.dockerconfigjson'), fc.constantFrom(...DOCUMENTS)),
    },
  ),
  stringData: fc.dictionary(fc.constantFrom('k', 's', 'tls.key'), fc.constantFrom('text', '', 'é😀', '{}'), {
    maxKeys: 2,
  }),
  type: fc.oneof(
    {weight: 3, arbitrary: fc.constantFrom('Opaque', 'Opaque', 'Opaque', '', 'example.com/t', 'any text')},
    {weight: 1, arbitrary: fc.constantFrom(...TYPES).map(type => `kubernetes.io/${type}`)},
  ),
  immutable: fc.constantFrom(false, false, false, true),
}) as fc.Arbitrary<Body>;

const pair = fc.tuple(fc.oneof({weight: 3, arbitrary: certificatePem}, {weight: 1, arbitrary: pemText}), pemText).map(
  ([certificate, key]): Body => ({
    type: 'kubernetes.io/tls',
    data: {'tls.crt': base64(certificate), 'tls.key': base64(key)},
  }),
);

const odd = {
  data: fc.constantFrom<unknown>(
    {'a b': 'QQ=='},
    {'..': 'QQ=='},
    {'': 'QQ=='},
    {['k'.repeat(254)]: ''},
    ...['!', 'YQ', 1, null, {}, [1, 2], [256], ['x'], []].map(value => ({k: value})),
    {},
    null,
    ['x'],
  ),
  stringData: fc.constantFrom<unknown>({k: null}, {k: 7}, {}, null, 'x', {'a b': '1'}),
  type: fc.constantFrom<unknown>(null, 7),
  immutable: fc.constantFrom<unknown>(null, 'true', 1),
};

export const secrets: Subject = {
  apiVersion: 'v1',
  kind: 'Secret',
  resource: 'secrets',
  fields: fc.oneof({weight: 4, arbitrary: withOneOdd(good, odd)}, {weight: 1, arbitrary: pair}),
  valid: {type: 'Opaque'},
  pointers: ['/data', '/data/k', '/data/l', '/stringData', '/stringData/k', '/type', '/immutable'],
  values: rarely(
    fc.constantFrom<unknown>('QQ==', 'text', {}, {k: 'QQ=='}, {z: 'zz'}, true, 'kubernetes.io/tls'),
    fc.constantFrom<unknown>(5, null, []),
  ),
  fieldSelectors: ['metadata.name=web', 'type=Opaque', 'type!=Opaque', 'type=example.com/t', 'data.k=1'],
};
