// SPDX-License-Identifier: Apache-2.0
/** What is stored and cannot be read lets nobody in. Ref: invariant I2 of the index. */
import {CachedObject, digestOfToken} from '@palisade/apiserver';
import {expect, test} from 'vitest';
import {TokenIndex} from './token-index.ts';

const TOKEN = 'plst_known';
const DIGEST = digestOfToken(TOKEN);
const stored = (content: object, metadata: object = {}): CachedObject => {
  const object = {kind: 'AccessToken', metadata: {name: 't', uid: 'u', ...metadata}, ...content};
  return new CachedObject({namespace: '', name: 't'}, Buffer.from(JSON.stringify(object)), 1n, '1');
};
const GOOD = {spec: {user: 'anna'}, status: {digest: DIGEST}};

test('a good object lets its user in', () => {
  const index = new TokenIndex();
  index.put(stored(GOOD));
  expect(index.find(TOKEN)).toMatchObject({outcome: 'user', user: {name: 'anna'}});
});

test.each<[string, object, object]>([
  ['without a user', {spec: {}, status: {digest: DIGEST}}, {}],
  ['without a digest', {spec: {user: 'anna'}, status: {}}, {}],
  ['whose end is no time', {...GOOD, status: {digest: DIGEST, expirationTimestamp: 'soon'}}, {}],
])('an object %s is a fault, and ends what it was before', (_, content, metadata) => {
  const index = new TokenIndex();
  index.put(stored(GOOD));
  expect(() => index.put(stored(content, metadata))).toThrow('it has no user, no digest or no valid time');
  expect(index.find(TOKEN)).toMatchObject({outcome: 'refused'});
  expect([...index.all()]).toEqual([]);
});

test('an object that is being deleted lets nobody in', () => {
  const index = new TokenIndex();
  index.put(stored(GOOD, {deletionTimestamp: '2026-01-01T00:00:00Z'}));
  expect(index.find(TOKEN)).toEqual({outcome: 'refused', reason: 'access token t revoked'});
});

test('an object with another token of the same name ends the old one', () => {
  const index = new TokenIndex();
  index.put(stored(GOOD));
  index.put(stored({...GOOD, status: {digest: digestOfToken('plst_other')}}));
  expect(index.find(TOKEN)).toMatchObject({outcome: 'refused'});
  expect(index.find('plst_other')).toMatchObject({outcome: 'user'});
});

test('the empty token, and the prefix alone, are nobody', () => {
  const index = new TokenIndex();
  expect(index.find('')).toBeUndefined();
  expect(index.find('plst_')).toMatchObject({outcome: 'refused'});
});
