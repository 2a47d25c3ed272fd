// SPDX-License-Identifier: Apache-2.0
import {once} from 'node:events';
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {hasAnyOf} from './objects-on-server.ts';

const CORE = {type: 'platform:core/v1:Endpoints', id: 'shop/web'};
const IDS = {type: 'cloudnative:intrusion/v1:Endpoint', id: 'projects/p/locations/local/endpoints/guard'};
const PATHS = ['/api/v1/namespaces/shop/endpoints/web', '/v1/projects/p/locations/local/endpoints/guard'];

let server: Server;
let http = '';
const asked: (string | undefined)[] = [];
let statusOf: (path: string | undefined) => number;
beforeEach(async () => {
  asked.length = 0;
  server = createServer(({url}, response) => {
    asked.push(url);
    response.writeHead(statusOf(url)).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  http = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => server.close());

test('each is asked for where the server has it, until one is there', async () => {
  statusOf = () => 404;
  expect(await hasAnyOf(http, [CORE, IDS])).toBe(false);
  expect(asked.splice(0)).toEqual(PATHS);
  statusOf = path => (path === PATHS[1] ? 200 : 404);
  expect(await hasAnyOf(http, [CORE, IDS, CORE])).toBe(true);
  expect(asked).toEqual(PATHS);
});

test.each([401, 403, 500, 503])('an answer of %d tells nothing, and counts as there', async status => {
  statusOf = () => status;
  expect(await hasAnyOf(http, [CORE])).toBe(true);
});

test('of a type that is not ours, or without an answer, it cannot be told', async () => {
  statusOf = () => 404;
  expect(await hasAnyOf(http, [{type: 'random:index:Pet', id: 'x'}])).toBe(true);
  expect(await hasAnyOf('http://127.0.0.1:1', [IDS])).toBe(true);
  expect(await hasAnyOf(http, [])).toBe(true);
});
