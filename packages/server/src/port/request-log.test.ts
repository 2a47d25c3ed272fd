// SPDX-License-Identifier: Apache-2.0
import {EventEmitter} from 'node:events';
import {expect, test} from 'vitest';
import {withRequestLog} from './request-log.ts';

const requestOf = (url: string) => ({
  method: 'GET',
  url,
  headers: {'user-agent': 'kubectl/1'},
  socket: {remoteAddress: '::1'},
});

/** The lines of one request whose answer ends after 7 ms. */
const linesOf = (isDebug: boolean, answered: object, url = '/api?x=1'): object[] => {
  const lines: object[] = [];
  const log = {
    isLevelEnabled: () => isDebug,
    debug: (fields: object, message: string) => lines.push({...fields, message}),
  };
  let nowMs = 100;
  const response = Object.assign(new EventEmitter(), {statusCode: 200, headersSent: false});
  const handler = (request: {url?: string}): void => {
    request.url = '/cut';
    Object.assign(response, answered);
    nowMs += 7.4;
    response.emit('close');
  };
  withRequestLog(log as never, {now: () => nowMs}, handler as never)(requestOf(url) as never, response as never);
  return lines;
};

test('a request is one line when its answer has ended', () => {
  const told = {method: 'GET', url: '/api?x=1', from: '::1', userAgent: 'kubectl/1', ms: 7, message: 'request'};
  expect(linesOf(true, {statusCode: 404, headersSent: true})).toEqual([{...told, code: 404}]);
  expect(linesOf(true, {})).toEqual([{...told, code: undefined}]);
  expect(linesOf(true, {}, `/${'x'.repeat(5_000)}`)).toEqual([expect.objectContaining({url: `/${'x'.repeat(999)}`})]);
});

test.each([
  ['/v1/x?access_token=SECRET&a=b', '/v1/x?access_token=...&a=b'],
  ['/v1/x?a=b&$.oauth_token=SECRET', '/v1/x?a=b&$.oauth_token=...'],
  ['/v1/x?%24access%5Ftoken=SECRET&key=SECRET', '/v1/x?%24access%5Ftoken=...&key=...'],
  ['/v1/x?accessToken=SECRET', '/v1/x?accessToken=...'],
  ['/v1/x?%zz=1&keys=2', '/v1/x?%zz=1&keys=2'],
])('credentials in the URL are left out: %s', (url, told) => {
  expect(linesOf(true, {}, url)).toEqual([expect.objectContaining({url: told})]);
});

test('with another level nothing is listened to', () => {
  expect(linesOf(false, {statusCode: 404, headersSent: true})).toEqual([]);
});
