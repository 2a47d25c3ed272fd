// SPDX-License-Identifier: Apache-2.0
import {EventEmitter} from 'node:events';
import {expect, test} from 'vitest';
import type {AnyRequest, AnyResponse} from '../port/listeners.ts';
import {countAnswers, createMetrics} from './metrics.ts';

class Answer extends EventEmitter {
  statusCode: number;
  readonly text: Promise<string>;
  readonly end: (text: string) => void;

  constructor(code = 0) {
    super();
    this.statusCode = code;
    const {promise, resolve} = Promise.withResolvers<string>();
    [this.text, this.end] = [promise, resolve];
  }

  readonly headers: Record<string, string> = {};

  setHeader(name: string, value: string): void {
    this.headers[name] = value;
  }
}

test('answers are counted by side, method and code when they were sent, also between two looks', async () => {
  const metrics = createMetrics();
  const handler = metrics.counted(() => {});
  const look = async (): Promise<string[]> => {
    const answer = new Answer();
    await metrics.open({} as AnyRequest, answer as unknown as AnyResponse);
    return (await answer.text).split('\n').filter(line => line.startsWith('palisade_http_requests_total{'));
  };
  const send = (method: string, url: string, code: number): Answer => {
    const answer = new Answer(code);
    handler({method, url}, answer);
    answer.emit('finish');
    return answer;
  };
  send('GET', '/api/v1/namespaces', 200);
  send('GET', '/api/v1/endpoints', 200);
  for (const url of ['/v1/projects', '/v1', '/compute/v1?a=b']) send('BREW', url, 404);
  handler({method: 'GET', url: '/version'}, new Answer(200)); // never sent
  const before = [
    'palisade_http_requests_total{side="kubernetes",method="GET",code="200"} 2',
    'palisade_http_requests_total{side="ids",method="other",code="404"} 3',
  ];
  expect(await look()).toEqual(before);
  send('GET', '/api/v1/endpoints', 200);
  expect(await look()).toEqual([before[0]?.replace(/2$/, '3'), before[1]]);
});

test('the text says its format as kube-apiserver does and its length, and is not kept', async () => {
  const answer = new Answer();
  await createMetrics().open({} as AnyRequest, answer as unknown as AnyResponse);
  const text = await answer.text;
  expect([answer.statusCode, answer.headers]).toEqual([
    200,
    {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores',
      'cache-control': 'no-cache, private',
      'content-length': String(Buffer.byteLength(text)),
    },
  ]);
});

test.each([
  ['GET', 200],
  ['HEAD', 200],
  ['PUT', 200],
  ['DELETE', 405],
])('%s /metrics is %d', async (method, code) => {
  const answer = new Answer(0);
  const exchange = {info: {path: '/metrics'}, method, response: answer};
  expect(await createMetrics().document(exchange as never, (() => {}) as never)).toBe(true);
  expect(answer.statusCode).toBe(code);
  expect(await answer.text).toMatch(code === 200 ? /^palisade_/m : /^$/);
});

test('a request whose target was the whole URL counts for the side that answered it', () => {
  const counted: string[] = [];
  const request = {method: 'GET', url: 'http://some.host/v1/projects'};
  const answer = new Answer(200);
  countAnswers(
    ({side}) => counted.push(side),
    () => {
      request.url = '/v1/projects'; // the router's work
    },
  )(request, answer);
  answer.emit('finish');
  expect(counted).toEqual(['ids']);
});
