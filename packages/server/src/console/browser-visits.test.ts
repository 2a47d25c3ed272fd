// SPDX-License-Identifier: Apache-2.0
import {once} from 'node:events';
import type {ServerResponse} from 'node:http';
import {connect} from 'node:http2';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {type Listener, listenPlain} from '../port/listeners.ts';
import {leadingBrowsers} from './browser-visits.ts';

let listener: Listener;
let url: string;
beforeAll(async () => {
  const api = leadingBrowsers((_request, response) => void (response as ServerResponse).writeHead(403).end('{}'));
  listener = await listenPlain({host: '127.0.0.1', port: 0}, 'http', api);
  url = `http://127.0.0.1:${listener.address.port}`;
});
afterAll(async () => {
  listener.force();
  await listener.close();
});

const get = async (path: string, accept: string, method = 'GET') => {
  const {status, headers} = await fetch(url + path, {method, headers: {accept}, redirect: 'manual'});
  return [status, headers.get('location')];
};
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

test.each([
  ['/', BROWSER, '/console/'],
  ['/?theme=dark', 'text/html, */*', '/console/?theme=dark'],
  ['/', 'application/json;q=0.5, text/html', '/console/'],
])('49-1 a browser at %s with Accept %s is led to %s', async (path, accept, location) =>
  expect(await get(path, accept)).toEqual([302, location]),
);

test.each([
  ['/', '*/*'],
  ['/', 'application/json, */*'],
  ['/', 'application/json, text/html'],
  ['/', 'application/json, text/html;q=0.9'],
  ['/', 'application/vnd.kubernetes.protobuf,application/json'],
  ['/', 'text/html;q=0'],
  ['/', 'text/html;q=x'],
  ['/api', BROWSER],
  ['/version', BROWSER],
])('49-1 %s with Accept %s remains with the API', async (path, accept) =>
  expect(await get(path, accept)).toEqual([403, null]),
);

test('49-1 other methods and clients without Accept remain with the API; HTTP/2 is the same', async () => {
  expect(await get('/', BROWSER, 'POST')).toEqual([403, null]);
  const session = connect(url);
  const over2 = async (headers: Record<string, string>) => {
    const stream = session.request({':path': '/', ...headers}).resume();
    const [head] = await once(stream, 'response');
    return [head[':status'], head['location']];
  };
  expect(await over2({accept: BROWSER})).toEqual([302, '/console/']);
  expect(await over2({})).toEqual([403, undefined]);
  session.close();
});
