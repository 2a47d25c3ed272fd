// SPDX-License-Identifier: Apache-2.0
import {once} from 'node:events';
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {secretOf} from '@palisade/provider';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {hasAnyOf} from './objects-on-server.ts';

const CREATED = '2026-01-02T03:04:05Z';
const CORE = {type: 'platform:core/v1:Endpoints', id: 'shop/web', outputs: {metadata: {uid: 'u1'}}};
const IDS = {
  type: 'cloudnative:intrusion/v1:Endpoint',
  id: 'projects/p/locations/local/endpoints/guard',
  outputs: {createTime: CREATED},
};
const PATHS = ['/api/v1/namespaces/shop/endpoints/web', '/v1/projects/p/locations/local/endpoints/guard'];

let server: Server;
let http = '';
const asked: (string | undefined)[] = [];
/** By path; undefined is never answered. */
let answer: (path: string | undefined) => {status: number; body?: object} | undefined;
beforeEach(async () => {
  asked.length = 0;
  server = createServer(({url}, response) => {
    asked.push(url);
    const {status, body = {}} = answer(url) ?? {};
    if (status !== undefined) response.writeHead(status).end(status === 200 ? JSON.stringify(body) : 'no JSON');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  http = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

test('each is asked for where the server has it, until one is there', async () => {
  answer = () => ({status: 404});
  expect(await hasAnyOf(http, [CORE, IDS])).toBe(false);
  expect(asked.splice(0)).toEqual(PATHS);
  answer = path => (path === PATHS[1] ? {status: 200, body: {createTime: CREATED}} : {status: 404});
  expect(await hasAnyOf(http, [CORE, IDS, CORE])).toBe(true);
  expect(asked).toEqual(PATHS);
});

test.each([
  [CORE, {metadata: {uid: 'u1'}}, true],
  [CORE, {metadata: {uid: 'u2'}}, false],
  [{...CORE, outputs: {metadata: secretOf({uid: 'u1'})}}, {metadata: {uid: 'u1'}}, true],
  [IDS, {createTime: CREATED}, true],
  [IDS, {createTime: '2026-01-02T03:04:06Z'}, false],
])('another object of the same name is not the one that is looked for: %j, %j', async (object, body, isThere) => {
  answer = () => ({status: 200, body});
  expect(await hasAnyOf(http, [object])).toBe(isThere);
});

test('of one whose creation was cut short nothing but its name is known', async () => {
  answer = () => ({status: 200, body: {metadata: {uid: 'u2'}}});
  expect(await hasAnyOf(http, [{...CORE, outputs: {}}])).toBe(true);
});

test.each([401, 403, 500, 503])('an answer of %d tells nothing, and counts as there', async status => {
  answer = () => ({status});
  expect(await hasAnyOf(http, [CORE])).toBe(true);
});

test('of a type that is not ours, or without an answer, it cannot be told', async () => {
  answer = () => undefined;
  expect(await hasAnyOf(http, [CORE], {answerMsMax: 20})).toBe(true);
  answer = () => ({status: 404});
  expect(await hasAnyOf(http, [{type: 'random:index:Pet', id: 'x', outputs: {}}])).toBe(true);
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
  expect(await hasAnyOf(http, [IDS])).toBe(true);
  expect(await hasAnyOf(http, [])).toBe(true);
});
