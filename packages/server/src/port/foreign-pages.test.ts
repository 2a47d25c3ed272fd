// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {whyCrossSite, whyForeign} from './foreign-pages.ts';

const asked = (headers: Record<string, string>, method = 'POST') => whyForeign({method, headers});

test.each([
  {},
  {host: '127.0.0.1:8080'},
  {host: '127.8.9.1'},
  {host: '[::1]:8080'},
  {host: 'localhost:8080'},
  {host: 'LOCALHOST.:8080'},
  {host: 'shop.localhost'},
  {host: 'host.docker.internal:8080'},
  {host: 'palisade.test'},
  {host: ''},
  {host: 'localhost:'},
  {host: '[::ffff:127.0.0.1]:8080'},
  {':authority': 'localhost:8080'},
  {host: '127.0.0.1:8080', origin: 'http://127.0.0.1:8080', 'sec-fetch-site': 'same-origin'},
  {host: 'localhost', 'sec-fetch-site': 'none'},
])('what a program or a page of its own sends goes on: %j', headers => {
  expect(asked(headers)).toBeUndefined();
});

test.each([
  [{host: 'evil.example'}, 'Host "evil.example"'],
  [{host: 'evil.example:8080', origin: 'http://evil.example:8080'}, 'Host "evil.example:8080"'],
  [{':authority': 'evil.example', host: '127.0.0.1'}, 'Host "evil.example"'],
  [{host: '127.0.0.1.evil.example'}, 'Host "127.0.0.1.evil.example"'],
  [{host: 'not.localhost.example.'}, 'Host "not.localhost.example."'],
  [{host: 'a.b:80:80'}, 'Host "a.b:80:80"'],
  [{host: '127.0.0.1:8080', origin: 'http://evil.example'}, 'Origin "http://evil.example"'],
  [{host: '127.0.0.1:8080', origin: 'http://127.0.0.1:3000'}, 'Origin "http://127.0.0.1:3000"'],
  [{host: '127.0.0.1:8080', origin: 'null'}, 'Origin "null"'],
  [{host: '127.0.0.1:8080', 'sec-fetch-site': 'cross-site'}, 'Sec-Fetch-Site "cross-site"'],
  [{host: 'localhost:8080', 'sec-fetch-site': 'same-site'}, 'Sec-Fetch-Site "same-site"'],
] as const)('what a page of somebody else may be behind does not, and the way out is told: %j', (headers, what) => {
  const why = asked(headers);
  expect(why).toContain(what);
  expect(why).toContain('--token-auth-file');
});

test.each([
  'evil',
  'evil:8080',
  'workstation:8080',
  'xn--bcher-kva',
  'test',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '127.1',
  '017700000001',
  '127.0.0.1.evil',
  'localhost.evil',
  'localhost..',
  'localhost,evil',
  'user@localhost',
  'user@shop.localhost',
  'evil.example/.localhost',
  'ｌｏｃａｌｈｏｓｔ',
  '127.0.0.1]',
  '[::1',
  '::1',
  '[::1%25lo]',
  '[fe80::1%eth0]:8080',
  ':8080',
])('F-21 a host that is neither an address nor known to be of this machine does not: %s', host => {
  for (const name of ['host', ':authority']) expect(asked({[name]: host})).toContain(`Host "${host}"`);
});

test.each([
  [{host: '127.0.0.1'}, 'http://evil.example/api', 'evil.example'],
  [{host: 'evil'}, 'http://127.0.0.1/api', 'evil'],
  [{host: 'localhost'}, 'HTTPS://evil?x', 'evil'],
  [{':authority': '127.0.0.1', host: 'evil.example'}, '/api', 'evil.example'],
] as const)('F-21 a second host that disagrees counts, too: %j %s', (headers, url, host) => {
  expect(whyForeign({method: 'GET', url, headers})).toContain(`Host "${host}"`);
  expect(
    whyForeign({method: 'GET', url: 'http://localhost:8080/api', headers: {host: 'localhost:8080'}}),
  ).toBeUndefined();
});

test('F-21 an Origin with a user is no origin', () => {
  expect(asked({host: 'localhost', origin: 'http://user@localhost'})).toContain('Origin');
});

test('a link on a page of another site may be followed, and no more', () => {
  const link = {host: 'localhost', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate'};
  expect(asked(link, 'GET')).toBeUndefined();
  expect(asked(link, 'POST')).toContain('Sec-Fetch-Site');
  expect(asked({...link, 'sec-fetch-mode': 'no-cors'}, 'GET')).toContain('Sec-Fetch-Site');
});

test('49-2 names of this machine that are given count, in either case of letters', () => {
  const names = new Set(['workstation', 'palisade.example']);
  for (const host of ['workstation', 'WorkStation:8080', 'palisade.example.', 'localhost'])
    expect(whyForeign({method: 'GET', headers: {host}}, names)).toBeUndefined();
  for (const host of ['evil', 'workstation.example', 'x.palisade.example'])
    expect(whyForeign({method: 'GET', headers: {host}}, names)).toContain('--tls-names');
});

const HOST = 'palisade.example:6443';
const WEBSOCKET = {connection: 'Upgrade', upgrade: 'websocket'};

test.each<[string, string, Record<string, string>]>([
  ['a program says nothing of sites', 'POST', {}],
  ['a page of the console', 'POST', {origin: `https://${HOST}`, 'sec-fetch-site': 'same-origin'}],
  ['the same in an old browser', 'POST', {origin: `https://${HOST}`}],
  ['a page behind a proxy that changes the host', 'DELETE', {origin: 'https://other', 'sec-fetch-site': 'same-origin'}],
  ['the address bar', 'POST', {'sec-fetch-site': 'none'}],
  ['reading', 'GET', {origin: 'https://evil', 'sec-fetch-site': 'cross-site'}],
  ['a bearer token, which no browser adds by itself', 'POST', {origin: 'https://evil', authorization: 'Bearer x'}],
  ['a WebSocket of a program, with the origin of the server', 'GET', {...WEBSOCKET, origin: `https://${HOST}`}],
  ['a WebSocket of a program without an origin', 'GET', WEBSOCKET],
  [
    'a WebSocket with a token of Kubernetes',
    'GET',
    {...WEBSOCKET, origin: 'https://evil', 'sec-websocket-protocol': 'base64url.bearer.authorization.k8s.io.eA, x'},
  ],
])('49-2 with credentials, %s is let in', (_, method, headers) => {
  expect(whyCrossSite({method, headers: {host: HOST, ...headers}})).toBeUndefined();
});

test('49-2 a WebSocket that names a token of its own is refused where the client certificate would count', () => {
  const protocols = {'sec-websocket-protocol': 'base64url.bearer.authorization.k8s.io.eA, x'};
  const headers = {host: HOST, ...WEBSOCKET, ...protocols, origin: 'https://evil', 'sec-fetch-site': 'cross-site'};
  const certificate = {commonName: 'admin', organizations: [], serialNumber: '1', chain: [], notAfterMs: 0};
  expect(whyCrossSite({method: 'GET', headers}, certificate)).toContain('requests from pages of other sites');
  const bearer = {host: HOST, origin: 'https://evil', authorization: 'Bearer x'};
  expect(whyCrossSite({method: 'POST', headers: bearer}, certificate)).toBeUndefined();
});

test.each<[string, string, Record<string, string>]>([
  ['another origin', 'POST', {origin: 'https://evil'}],
  ['another port', 'PUT', {origin: 'https://palisade.example:8443'}],
  ['an opaque origin', 'DELETE', {origin: 'null'}],
  ['cross-site', 'PATCH', {'sec-fetch-site': 'cross-site'}],
  ['same-site, which is another port or a neighbour', 'POST', {'sec-fetch-site': 'same-site'}],
  ['an unknown method', 'PROPFIND', {'sec-fetch-site': 'cross-site'}],
  ['a WebSocket of another origin', 'GET', {...WEBSOCKET, origin: 'https://evil'}],
  ['a name in the address, which counts for nothing', 'POST', {origin: 'https://evil', authorization: 'Basic eDp5'}],
  ['an empty Authorization', 'POST', {origin: 'https://evil', authorization: ''}],
])('49-2 with credentials, %s is refused', (_, method, headers) => {
  expect(whyCrossSite({method, headers: {host: HOST, ...headers}})).toContain('requests from pages of other sites');
});

test.each([
  ['https://palisade.example', 'palisade.example:443', true],
  ['https://palisade.example:443', 'palisade.example', true],
  ['http://palisade.example', 'palisade.example:80', true],
  ['http://palisade.example', 'PALISADE.example:', true],
  ['https://[2001:db8::1]', '[2001:db8::1]:443', true],
  ['https://palisade.example:6443', HOST, true],
  ['https://palisade.example', 'palisade.example:80', false],
  ['http://palisade.example', 'palisade.example:443', false],
  ['http://palisade.example:443', 'palisade.example', false],
  ['https://palisade.example', 'palisade.example:4433', false],
  ['https://palisade.example', HOST, false],
  ['https://user@palisade.example', 'user@palisade.example', false],
])('49-2 Origin %s and Host %s are compared as URLs are: same is %s', (origin, host, isSame) => {
  const headers = {host, origin};
  expect(whyCrossSite({method: 'POST', headers}) === undefined).toBe(isSame);
  const names = new Set(['palisade.example']);
  expect(whyForeign({method: 'POST', headers}, names) === undefined).toBe(isSame);
});
