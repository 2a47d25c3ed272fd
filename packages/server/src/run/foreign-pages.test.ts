// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {whyForeign} from './foreign-pages.ts';

const asked = (headers: Record<string, string>, method = 'POST') => whyForeign({method, headers});

test.each([
  {},
  {host: '127.0.0.1:8080'},
  {host: '127.8.9.1'},
  {host: '[::1]:8080'},
  {host: 'localhost:8080'},
  {host: 'LOCALHOST.:8080'},
  {host: 'shop.localhost'},
  {host: 'workstation:8080'},
  {host: 'host.docker.internal:8080'},
  {host: 'palisade.test'},
  {host: ''},
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

test('a link on a page of another site may be followed, and no more', () => {
  const link = {host: 'localhost', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate'};
  expect(asked(link, 'GET')).toBeUndefined();
  expect(asked(link, 'POST')).toContain('Sec-Fetch-Site');
  expect(asked({...link, 'sec-fetch-mode': 'no-cors'}, 'GET')).toContain('Sec-Fetch-Site');
});
