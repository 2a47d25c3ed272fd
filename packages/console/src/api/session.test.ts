// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {settle} from '../testing/surroundings.ts';
import {createApi} from './connection.ts';
import {createSessionControl, stateOf} from './session.ts';

const session = {user: {username: 'alice', groups: []}, method: 'token', csrfToken: 'secret'};

function fakeFetch(answers: Readonly<Record<string, () => Response>>) {
  const calls: {what: string; headers: Headers; body: unknown}[] = [];
  const fetch = (async (url: string, init: RequestInit = {}) => {
    const what = `${init.method} ${url}`;
    calls.push({what, headers: new Headers(init.headers), body: init.body});
    return answers[what]?.() ?? new Response('', {status: 404});
  }) as typeof globalThis.fetch;
  return {calls, fetch};
}

describe('49-2 the session', () => {
  test.each([
    ['who is signed in', 200, JSON.stringify(session), {phase: 'in', session}],
    ['the ways in', 401, '{"signIn":{"token":true,"certificate":true}}', {phase: 'out', signIn: {certificate: true}}],
    ['a server without a console', 404, 'not found', {phase: 'failed'}],
    ['what a proxy says', 502, '<html>', {phase: 'failed', text: 'The server answered 502 to GET /console/session.'}],
  ])('%s', (_, status, body, expected) => expect(stateOf({status, body})).toMatchObject(expected));

  test('a refused token is said in the words of the server, a good one opens, and its CSRF token goes with each change', async () => {
    let token = '';
    const {calls, fetch} = fakeFetch({
      'POST /console/session': () =>
        token === 'good' ? Response.json(session) : Response.json({message: 'the token is unknown'}, {status: 401}),
      'POST /v1/projects/p/locations/l:testIamPermissions': () => Response.json({permissions: ['ids.endpoints.get']}),
    });
    const api = createApi(fetch);
    expect(await api.session.signIn('bad')).toBe('The token is unknown');
    token = 'good';
    expect(await api.session.signIn('good')).toBeUndefined();
    expect(api.session.state.get()).toMatchObject({phase: 'in'});
    const ask = (permission: string) => api.rights.permission('projects/p/locations/l', permission);
    ask('ids.endpoints.get');
    ask('ids.endpoints.create');
    await settle();
    expect(ask('ids.endpoints.get')).toEqual({allowed: true, why: undefined});
    expect(ask('ids.endpoints.create').why).toBe(
      'You lack the permission ids.endpoints.create in projects/p/locations/l',
    );
    const asked = calls.filter(({what}) => what.includes('testIam'));
    expect(asked).toHaveLength(1);
    expect(asked[0]?.body).toBe('{"permissions":["ids.endpoints.get","ids.endpoints.create"]}');
    expect(asked[0]?.headers.get('x-csrf-token')).toBe('secret');
  });

  test('a session that has ended shows the sign-in with the reason', async () => {
    let open = true;
    const {fetch} = fakeFetch({
      'GET /console/session': () =>
        open ? Response.json(session) : Response.json({signIn: {token: true, certificate: false}}, {status: 401}),
    });
    const control = createSessionControl(fetch);
    await control.load();
    open = false;
    control.suspect();
    await settle();
    expect(control.state.get()).toMatchObject({phase: 'out', note: expect.stringContaining('ended')});
  });
});
