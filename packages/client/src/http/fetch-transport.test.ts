// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {idsClientOver} from '../ids/ids-client.ts';
import {kubeClientOver} from '../kube/kube-client.ts';
import {CSRF_HEADER, createFetchTransport, isUnsafe} from './fetch-transport.ts';

type Call = {readonly url: string; readonly init: RequestInit};

/** A body in pieces; `open`: it never ends by itself, and fails when the request is aborted, as in a browser. */
function bodyOf(
  pieces: readonly string[],
  init: RequestInit,
  end: 'close' | 'open' | 'break',
): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: controller => {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      if (end === 'close') controller.close();
      if (end === 'break') controller.error(new TypeError('network error'));
      init.signal?.addEventListener('abort', () => {
        if (end === 'open') controller.error(init.signal?.reason);
      });
    },
  });
}

function fakeFetch(answer: (call: Call) => Response | Promise<Response>) {
  const calls: Call[] = [];
  const fetch = (async (url: string, init: RequestInit = {}) => {
    calls.push({url, init});
    init.signal?.throwIfAborted();
    return answer({url, init});
  }) as typeof globalThis.fetch;
  return {calls, fetch};
}

describe('49-1 the transport of a browser', () => {
  test('sends path, query, body and cookies of the own origin; the CSRF token with each change only', async () => {
    const {calls, fetch} = fakeFetch(() => new Response('{"ok":true}', {status: 201, headers: {'x-a': 'b'}}));
    const headers = (request: {method: string}): Record<string, string> =>
      isUnsafe(request) ? {[CSRF_HEADER]: 'secret'} : {};
    const transport = createFetchTransport({fetch, headers});
    const answer = await transport.send({
      method: 'POST',
      path: '/a%20b',
      query: {x: ['1', '2'], y: undefined},
      body: '{}',
    });
    expect(answer).toMatchObject({status: 201, body: '{"ok":true}', headers: {'x-a': 'b'}});
    await transport.send({method: 'GET', path: '/c'});
    const [post, get] = calls;
    expect(post?.url).toBe('/a%20b?x=1&x=2');
    expect(post?.init).toMatchObject({method: 'POST', body: '{}', credentials: 'same-origin', redirect: 'error'});
    expect(post?.init.headers).toMatchObject({'content-type': 'application/json', [CSRF_HEADER]: 'secret'});
    expect(get?.init.headers).not.toHaveProperty(CSRF_HEADER);
  });

  test('watch events come line by line over pieces that cut characters and lines', async () => {
    const text = '{"type":"ADDED","object":{"metadata":{"name":"ä"}}}\n{"type":"DELETED","object":{}}\n';
    const bytes = new TextEncoder().encode(text);
    const {fetch} = fakeFetch(
      () =>
        new Response(
          new ReadableStream({
            start: controller => {
              for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
              controller.close();
            },
          }),
        ),
    );
    const events: unknown[] = [];
    for await (const event of kubeClientOver(createFetchTransport({fetch}), 'test').endpoints.watch(''))
      events.push(event);
    expect(events).toEqual([
      {type: 'ADDED', object: {metadata: {name: 'ä'}}},
      {type: 'DELETED', object: {}},
    ]);
  });

  test('a refusal is the error of its API, in the words of the server', async () => {
    const status = {kind: 'Status', code: 403, reason: 'Forbidden', message: 'no'};
    const kube = fakeFetch(() => Response.json(status, {status: 403}));
    await expect(kubeClientOver(createFetchTransport(kube), 'test').endpoints.list('')).rejects.toMatchObject({
      status: {code: 403, reason: 'Forbidden', message: 'no'},
    });
    const ids = fakeFetch(() => Response.json({error: {status: 'NOT_FOUND', message: 'gone'}}, {status: 404}));
    await expect(idsClientOver(createFetchTransport(ids), 'test').getEndpoint('projects/p')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'gone',
    });
  });

  test('each failure has its code', async () => {
    const send = (fetch: typeof globalThis.fetch, signal?: AbortSignal) =>
      createFetchTransport({fetch, timeoutMs: 20}).send({method: 'GET', path: '/', signal});
    const away = fakeFetch(() => Promise.reject(new TypeError('Failed to fetch'))).fetch;
    await expect(send(away)).rejects.toMatchObject({code: 'unreachable', message: 'cannot reach the server'});
    const broken = fakeFetch(({init}) => new Response(bodyOf(['{'], init, 'break'))).fetch;
    await expect(send(broken)).rejects.toMatchObject({code: 'broken'});
    const silent = fakeFetch(({init}) => new Response(bodyOf(['{'], init, 'open'))).fetch;
    await expect(send(silent)).rejects.toMatchObject({
      code: 'timeout',
      message: 'no answer from the server within 0.02 s',
    });
    await expect(send(silent, AbortSignal.abort())).rejects.toMatchObject({code: 'aborted'});
  });

  test('a stream ends when its signal aborts, and its request is cancelled when nobody reads on', async () => {
    const {calls, fetch} = fakeFetch(({init}) => new Response(bodyOf(['a\nb\n'], init, 'open')));
    const transport = createFetchTransport({fetch});
    const control = new AbortController();
    const stream = await transport.open({method: 'GET', path: '/', signal: control.signal});
    const read = async (): Promise<void> => {
      for await (const line of stream.lines) if (line === 'b') control.abort();
    };
    await expect(read()).rejects.toMatchObject({code: 'aborted'});
    const other = await transport.open({method: 'GET', path: '/'});
    for await (const _ of other.lines) break;
    expect(calls[1]?.init.signal?.aborted).toBe(true);
  });

  test('onStatus sees every answer before its body', async () => {
    const seen: number[] = [];
    const {fetch} = fakeFetch(() => new Response('', {status: 401}));
    const transport = createFetchTransport({fetch, onStatus: status => seen.push(status)});
    await transport.send({method: 'GET', path: '/'});
    await transport.open({method: 'GET', path: '/'});
    expect(seen).toEqual([401, 401]);
  });
});
