// SPDX-License-Identifier: Apache-2.0
/** Failed logins are limited per address, and lock out nobody who has a credential. Ref: issue 47, point 2. */
import {expect, test} from 'vitest';
import type {Authentication, Credentials} from '../identity/authenticator.ts';
import {LOGIN_LIMITS, LoginLimit, sourceOf} from './login-limit.ts';
import {tokenAuthenticator} from './token-authenticator.ts';
import {parseTokenFile} from './token-file.ts';
import {tokenTableSource} from './token-table-source.ts';

const LONG = 'a-token-of-more-than-32-characters-000';
const TABLE = parseTokenFile(`short,anna,u1\n${LONG},bob,u2\n`);
const LIMITS = {failedLoginsBurstMax: 3, failedLoginsPerSecondMax: 0.5, failedLoginAddressesMax: 100};

const setUp = (limits: typeof LIMITS = LIMITS) => {
  const lines: unknown[] = [];
  let nowMs = 1_000_000;
  const limit = new LoginLimit({
    clock: {now: () => nowMs},
    log: {warn: ((fields: unknown) => void lines.push(fields)) as never},
    limits,
  });
  const authenticator = limit.wrap(tokenAuthenticator([tokenTableSource(TABLE)]));
  const ask = (token: string | undefined, remoteAddress = '192.0.2.1'): Promise<Authentication> =>
    Promise.resolve(
      authenticator.authenticate({
        headers: token === undefined ? {} : {authorization: `Bearer ${token}`},
        remoteAddress,
      }),
    );
  const outcomes = async (count: number, token = 'wrong', address?: string): Promise<string[]> => {
    const found: string[] = [];
    for (let n = 0; n < count; n++) found.push((await ask(token, address)).outcome);
    return found;
  };
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return {limit, lines, ask, outcomes, pass};
};

test('so many failures at once are 401, the next ones 429 until time has passed', async () => {
  const {ask, outcomes, pass, limit} = setUp();
  expect(await outcomes(4)).toEqual(['refused', 'refused', 'refused', 'limited']);
  expect(await ask('wrong')).toEqual({outcome: 'limited', retryAfterSeconds: 2});
  pass(1_000);
  expect(await ask('wrong')).toEqual({outcome: 'limited', retryAfterSeconds: 1});
  pass(1_000);
  expect(await outcomes(2)).toEqual(['refused', 'limited']);
  pass(3_600_000); // no more tries than at first
  expect(await outcomes(4)).toEqual(['refused', 'refused', 'refused', 'limited']);
  expect(limit.counts).toEqual({refused: 7, limited: 5});
});

test('each address has its own tries', async () => {
  const {outcomes} = setUp();
  await outcomes(4, 'wrong', '192.0.2.1');
  expect(await outcomes(1, 'wrong', '192.0.2.2')).toEqual(['refused']);
});

test('a short token is not looked up from a limited address: a correct guess gains nothing', async () => {
  const {ask, outcomes, pass} = setUp();
  await outcomes(3);
  expect(await ask('short')).toMatchObject({outcome: 'limited'});
  expect(await ask('short', '192.0.2.2')).toMatchObject({outcome: 'user'});
  pass(2_000);
  expect(await ask('short')).toMatchObject({outcome: 'user'});
});

test('a long token, and a short one that was right lately, are accepted from a limited address', async () => {
  const {ask, outcomes} = setUp();
  await ask('short');
  await outcomes(5);
  expect(await ask('short')).toMatchObject({outcome: 'user', user: {name: 'anna'}});
  expect(await ask(LONG)).toMatchObject({outcome: 'user', user: {name: 'bob'}});
  expect(await ask('wrong')).toMatchObject({outcome: 'limited'});
});

test('what is no failure costs no try: no credential, a valid one', async () => {
  const {ask, outcomes} = setUp();
  for (let n = 0; n < 10; n++) {
    expect(await ask(undefined)).toEqual({outcome: 'anonymous'});
    expect(await ask('short')).toMatchObject({outcome: 'user'});
  }
  await outcomes(10);
  expect(await ask(undefined)).toEqual({outcome: 'anonymous'});
});

test('the log has a line for an address and a minute, with the count and without the token', async () => {
  const {lines, outcomes, pass} = setUp({...LIMITS, failedLoginsPerSecondMax: 0.001});
  await outcomes(10, 'secret-guess');
  expect(lines).toEqual([{address: '192.0.2.1', refused: 4}]);
  pass(60_000);
  await outcomes(5, 'secret-guess');
  expect(lines).toEqual([
    {address: '192.0.2.1', refused: 4},
    {address: '192.0.2.1', refused: 7},
  ]);
});

test('addresses are bounded: the one that failed longest ago is forgotten', async () => {
  const {limit, outcomes} = setUp();
  await outcomes(4, 'wrong', '192.0.2.1');
  for (let n = 0; n < 98; n++) await outcomes(1, 'wrong', `198.51.100.${n}`);
  expect(await outcomes(1, 'wrong', '192.0.2.1')).toEqual(['limited']); // again the newest
  for (let n = 0; n < 99; n++) await outcomes(1, 'wrong', `203.0.113.${n}`);
  expect(await outcomes(1, 'wrong', '192.0.2.1')).toEqual(['limited']);
  for (let n = 0; n < 100; n++) await outcomes(1, 'wrong', `192.0.3.${n}`);
  expect(limit.size).toBe(100);
  expect(await outcomes(1, 'wrong', '192.0.2.1')).toEqual(['refused']);
});

test('a clock that goes back gives no tries', async () => {
  const {outcomes, pass} = setUp();
  await outcomes(4);
  pass(-3_600_000);
  expect(await outcomes(1)).toEqual(['limited']);
  pass(2_000);
  expect(await outcomes(1)).toEqual(['refused']);
});

test('a broken back end is no failed login', async () => {
  const {limit} = setUp();
  const broken = limit.wrap({authenticate: () => Promise.reject(new Error('down'))});
  await expect(broken.authenticate({headers: {}} satisfies Credentials)).rejects.toThrow('down');
  expect(limit.counts).toEqual({refused: 0, limited: 0});
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:DB8:1:0002::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('%s counts as %s', (address, source) => {
  expect(sourceOf(address)).toBe(source);
});

test('the limits of the product', () => {
  expect(LOGIN_LIMITS).toEqual({
    failedLoginsBurstMax: 50,
    failedLoginsPerSecondMax: 1,
    failedLoginAddressesMax: 10_000,
  });
});

test('what has no address is no login, and is not counted: open streams look at their credentials again', async () => {
  const {limit} = setUp();
  const refusing = limit.wrap({authenticate: () => ({outcome: 'refused'})});
  const outcomes = [1, 2, 3, 4, 5].map(() => refusing.authenticate({headers: {}}));
  expect(outcomes).toEqual(Array(5).fill({outcome: 'refused'}));
  expect([limit.failed(undefined), limit.size, limit.counts]).toEqual([undefined, 0, {refused: 0, limited: 0}]);
});

test('trouble of the server is no failed login: the client is refused as often as it asks, and may still sign in', async () => {
  const {limit, outcomes} = setUp();
  const unsure = limit.wrap({authenticate: () => ({outcome: 'refused', unchecked: true})});
  for (let n = 0; n < 10; n++)
    expect(unsure.authenticate({headers: {}, remoteAddress: '192.0.2.1'})).toMatchObject({outcome: 'refused'});
  expect(limit.size).toBe(0);
  expect(await outcomes(1, 'short')).toEqual(['user']);
});
