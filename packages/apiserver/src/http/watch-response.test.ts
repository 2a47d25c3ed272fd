// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import type {WatchAnswer} from '../answer/answer.ts';
import type {HttpRequest, HttpResponse} from './exchange.ts';
import {openWatchResponse} from './watch-response.ts';
import {openWatchSocket} from './websocket/watch-socket.ts';

test.each([
  ['HTTP/1.1', {destroyed: true}],
  ['HTTP/2', {stream: {destroyed: true}}],
  ['HTTP/2, whose stream is closed', {stream: undefined}],
])('a watch of a client that went while it was asked who it is, over %s, is not opened', (_over, gone) => {
  const opened: string[] = [];
  const note = (what: string) => () => void opened.push(what);
  const response = {...gone, once: note('once'), writeHead: note('writeHead'), flushHeaders: note('flushHeaders')};
  const answer = {contentType: 'application/json', open: note('open')};
  openWatchResponse(response as unknown as HttpResponse, answer as unknown as WatchAnswer, {}, {} as never);
  expect(opened).toEqual([]);
});

test('nor is one over a WebSocket', () => {
  const opened: string[] = [];
  const note = (what: string) => () => void opened.push(what);
  const request = {headers: {}, socket: {destroyed: true, write: note('write'), end: note('end')}};
  const answer = {contentType: 'application/json', open: note('open')};
  openWatchSocket(request as unknown as HttpRequest, {} as HttpResponse, answer as unknown as WatchAnswer, {} as never);
  expect(opened).toEqual([]);
});
