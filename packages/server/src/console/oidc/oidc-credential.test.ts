// SPDX-License-Identifier: Apache-2.0
/** When the ID token behind a session is renewed. */
import {ManualTime} from '@palisade/apiserver/testing';
import {beforeEach, expect, test} from 'vitest';
import {GrantEndedError, type IssuedTokens} from './issued-tokens.ts';
import {OidcCredential} from './oidc-credential.ts';

const LIFE_MS = 300_000;

let time: ManualTime;
let asked: string[];
let failures: string[];
let refresh: () => Promise<IssuedTokens>;
const tokens = (name: string, refreshToken: string | undefined = `refresh-${name}`): IssuedTokens => ({
  ...{idToken: name, idTokenEndsMs: time.now() + LIFE_MS, refreshToken},
});
const made = (first: IssuedTokens): OidcCredential =>
  new OidcCredential(first, {
    clock: time,
    onFailure: error => failures.push((error as Error).message),
    refresh: token => {
      asked.push(token);
      return refresh();
    },
  });
const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
const shown = async (of: OidcCredential): Promise<string> => (await of.shown()).headers.authorization;

beforeEach(() => {
  time = new ManualTime();
  [asked, failures] = [[], []];
  refresh = async () => tokens('second');
});

test('49-2 once, a minute before the end, however many requests come', async () => {
  const credential = made(tokens('first'));
  time.advance(LIFE_MS - 60_001);
  expect(await shown(credential)).toBe('Bearer first');
  time.advance(1);
  expect(await Promise.all([shown(credential), shown(credential)])).toEqual(['Bearer first', 'Bearer first']);
  await settled();
  expect([asked, await shown(credential), credential.endsMs()]).toEqual([
    ['refresh-first'],
    'Bearer second',
    undefined,
  ]);
  time.advance(LIFE_MS - 60_000);
  await shown(credential);
  expect(asked).toEqual(['refresh-first', 'refresh-second']);
});

test('49-2 requests wait for it only if the token is about to end', async () => {
  const credential = made(tokens('first'));
  time.advance(LIFE_MS - 5_000);
  expect(await Promise.all([shown(credential), shown(credential)])).toEqual(['Bearer second', 'Bearer second']);
  expect(asked).toEqual(['refresh-first']);
});

test('49-2 an answer without another refresh token: the one before is used again', async () => {
  refresh = async () => ({...tokens('second'), refreshToken: undefined});
  const credential = made(tokens('first'));
  for (let n = 0; n < 2; n++) {
    time.advance(LIFE_MS);
    await shown(credential);
  }
  expect(asked).toEqual(['refresh-first', 'refresh-first']);
});

test('49-2 without a refresh token it ends with the ID token', async () => {
  const credential = made({...tokens('first'), refreshToken: undefined});
  expect(credential.endsMs()).toBe(time.now() + LIFE_MS);
  time.advance(LIFE_MS);
  expect(await shown(credential)).toBe('Bearer first');
  expect(asked).toEqual([]);
});

test('49-2 an issuer that refuses is not asked again; one that is down is, after a while', async () => {
  refresh = () => Promise.reject(new Error('down'));
  const credential = made(tokens('first'));
  time.advance(LIFE_MS - 60_000);
  expect(await shown(credential)).toBe('Bearer first');
  await settled();
  time.advance(9_999);
  await shown(credential);
  await settled();
  expect(failures).toEqual(['down']);
  refresh = () => Promise.reject(new GrantEndedError('invalid_grant'));
  time.advance(1);
  expect(await shown(credential)).toBe('Bearer first');
  time.advance(LIFE_MS);
  await shown(credential);
  expect(failures).toEqual(['down', 'invalid_grant']);
});
