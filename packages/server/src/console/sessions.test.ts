// SPDX-License-Identifier: Apache-2.0
/** When sessions end, and what ends them. */
import {IncomingMessage} from 'node:http';
import {Socket} from 'node:net';
import type {Arrival, Authentication, Authenticator, Credentials} from '@palisade/apiserver';
import {ManualTime} from '@palisade/apiserver/testing';
import {beforeEach, describe, expect, test} from 'vitest';
import {tokenCredential} from './credentials.ts';
import {withSessions} from './session-authenticator.ts';
import {digestOf, SESSION_LIMITS, Sessions} from './sessions.ts';
import {signInWith} from './sign-in.ts';

const JANE = {name: 'jane', uid: 'u1', groups: ['soc']};
const user = (name: string) => ({...JANE, name});
const REFUSED: Authentication = {outcome: 'refused', reason: 'revoked'};
const LIMITS = {...SESSION_LIMITS, perUserMax: 2, max: 4};

let time: ManualTime;
let sessions: Sessions;
beforeEach(() => {
  time = new ManualTime();
  sessions = new Sessions({clock: time, timers: time, limits: LIMITS});
});
const open = (name = 'jane', secure = false): string =>
  sessions.open({user: user(name), credential: tokenCredential('secret'), secure}) ?? 'refused';

describe('the table', () => {
  test('49-2 a session without a request for twelve hours is over, one in use after a day', () => {
    const [idle, used] = [open('idle'), open()];
    for (let hour = 1; hour < 24; hour++) {
      time.advance(3_600_000);
      const session = sessions.find(used, false);
      expect(session, `hour ${hour}`).toBeDefined();
      if (session !== undefined) sessions.use(session);
      expect(sessions.find(idle, false) === undefined, `hour ${hour}`).toBe(hour >= 12);
    }
    time.advance(3_600_000);
    expect(sessions.find(used, false)).toBeUndefined();
  });

  test('49-2 those that are over leave memory although nobody asks', () => {
    open();
    expect(sessions.size).toBe(1);
    time.advance(LIMITS.idleMs + LIMITS.sweepMs);
    expect(sessions.size).toBe(0);
  });

  test('49-2 one user has so many, the one without a request for longest goes; all users together have a bound', () => {
    const first = open();
    time.advance(1);
    const second = open();
    const used = sessions.find(first, false);
    time.advance(1);
    if (used !== undefined) sessions.use(used);
    open();
    expect([sessions.size, sessions.find(second, false)]).toEqual([2, undefined]);
    expect(sessions.find(first, false)).toBeDefined();
    open('bob');
    open('bob');
    expect(open('eve')).toBe('refused');
    expect(open('bob')).not.toBe('refused');
  });

  test('49-2 a sign-in at an issuer takes the place of the session that it began with, where there is no other place', async () => {
    const had = open();
    for (const name of ['a', 'b', 'c']) open(name);
    const parts = {sessions, authenticator: {authenticate: (): Authentication => ({outcome: 'user', user: JANE})}};
    const signIn = (replaces?: string) =>
      signInWith(parts, new IncomingMessage(new Socket()), tokenCredential('x'), replaces);
    expect(await signIn()).toMatchObject({code: 503});
    expect(await signIn(digestOf(had))).toMatchObject({session: {user: JANE}});
    expect([sessions.size, sessions.find(had, false)]).toEqual([4, undefined]);
  });

  test('49-2 open sessions are counted by what opened them, without those that are over', () => {
    open();
    time.advance(LIMITS.idleMs - 1);
    sessions.open({user: JANE, credential: {...tokenCredential('x'), method: 'oidc'}, secure: true});
    expect(sessions.countOpen()).toEqual({token: 1, certificate: 0, oidc: 1});
    time.advance(1);
    expect(sessions.countOpen()).toEqual({token: 0, certificate: 0, oidc: 1});
  });

  test('49-2 nor is a session open whose credential has ended', () => {
    const endsMs = time.now() + 1_000;
    const credential = {...tokenCredential('x'), method: 'certificate', endsMs: () => endsMs} as const;
    sessions.open({user: JANE, credential, secure: true});
    time.advance(999);
    expect(sessions.countOpen()).toEqual({token: 0, certificate: 1, oidc: 0});
    time.advance(1);
    expect(sessions.countOpen()).toEqual({token: 0, certificate: 0, oidc: 0});
  });

  test('49-2 a session counts over the kind of connection that it was opened over', () => {
    expect(sessions.find(open('jane', true), false)).toBeUndefined();
    expect(sessions.find(open('jane', false), true)).toBeUndefined();
  });

  test('49-2 the CSRF token is that of the session', () => {
    const [one, two] = [open(), open('bob')];
    expect(sessions.isCsrfToken(one, sessions.csrfToken(one))).toBe(true);
    for (const wrong of [sessions.csrfToken(two), '', one, `${sessions.csrfToken(one)}x`])
      expect(sessions.isCsrfToken(one, wrong)).toBe(false);
    const restarted = new Sessions({clock: time, timers: time});
    expect(restarted.csrfToken(one)).not.toBe(sessions.csrfToken(one));
  });
});

describe('the credential behind a session', () => {
  let answer: Authentication;
  let asked: Credentials[];
  let all: Authenticator;
  let cookie: string;
  const arrival: Arrival = {port: 8080, isSecure: false};
  const ask = (headers: Credentials['headers'] = {cookie}, remoteAddress: string | undefined = '192.0.2.1') =>
    all.authenticate({headers, remoteAddress, arrival});

  beforeEach(() => {
    answer = {outcome: 'user', user: JANE};
    asked = [];
    const known: Authenticator = {
      authenticate: credentials => {
        asked.push(credentials);
        return answer;
      },
    };
    all = withSessions(sessions, {authenticate: () => ({outcome: 'limited', retryAfterSeconds: 1})}, known);
    cookie = `a=b; palisade-session-8080=${open()}`;
  });

  test('49-2 is judged at each request, and is no login of its address', async () => {
    expect(await ask()).toEqual({outcome: 'user', user: JANE});
    expect(asked).toEqual([{headers: {authorization: 'Bearer secret'}}]);
  });

  test.each<[string, Authentication]>([
    ['is refused', REFUSED],
    ['is of another user now', {outcome: 'user', user: user('bob')}],
    ['is of a user who was created again', {outcome: 'user', user: {...JANE, uid: 'u2'}}],
  ])('49-2 that %s ends it for good', async (_, next) => {
    answer = next;
    expect(await ask()).toMatchObject({outcome: 'refused'});
    answer = {outcome: 'user', user: JANE};
    expect(await ask()).toMatchObject({outcome: 'refused', reason: 'the console session has ended'});
    expect(asked).toHaveLength(1);
  });

  test('49-2 that cannot be judged now does not end it', async () => {
    answer = {...REFUSED, unchecked: true};
    expect(await ask()).toEqual(answer);
    answer = {outcome: 'user', user: JANE};
    expect(await ask()).toMatchObject({outcome: 'user'});
  });

  test('49-2 Authorization, or a token with a WebSocket, counts before the cookie', async () => {
    const limited = {outcome: 'limited', retryAfterSeconds: 1};
    expect(await ask({cookie, authorization: 'Bearer other'})).toEqual(limited);
    const protocol = 'v4.channel.k8s.io, base64url.bearer.authorization.k8s.io.eA';
    expect(await ask({cookie, 'sec-websocket-protocol': protocol})).toEqual(limited);
    expect(await ask({cookie, authorization: ' '})).toMatchObject({outcome: 'user'});
    expect(await ask({})).toEqual(limited);
  });

  test("49-2 a cookie of another port is another server's, and one from plain HTTP counts not over TLS", async () => {
    const limited = {outcome: 'limited', retryAfterSeconds: 1};
    for (const other of [{port: 8081, isSecure: false}, {port: 8080, isSecure: true}, undefined])
      expect(await all.authenticate({headers: {cookie}, remoteAddress: '192.0.2.1', arrival: other})).toEqual(limited);
    const prefixed = {cookie: cookie.replace('palisade', '__Host-palisade')};
    expect(await ask(prefixed)).toEqual(limited);
    expect(await ask()).toMatchObject({outcome: 'user'});
  });

  test('49-2 a look at an open stream does not keep a session from becoming idle', async () => {
    for (let hour = 0; hour < 11; hour++) {
      time.advance(3_600_000);
      await all.authenticate({headers: {cookie}, arrival});
    }
    time.advance(3_600_000);
    expect(await ask()).toMatchObject({outcome: 'refused'});
  });
});
