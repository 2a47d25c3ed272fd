// SPDX-License-Identifier: Apache-2.0
/** A port whose requests to `/wait` are answered by the test; all others at once, with their target and the length of their body. */
import type {ServerResponse} from 'node:http';
import {afterEach, expect} from 'vitest';
import {type Listener, type ListenerLimits, listenPlain, listenTls} from '../port/listeners.ts';
import {makeCertificate} from './certificate.ts';
import {connectRaw, HOST, type RawClient, type Via} from './raw-client.ts';

export type HeldPort = {
  readonly listener: Listener;
  /** `method target bodyBytes` of requests that came whole. */
  readonly asked: readonly string[];
  /** Answers to `/wait`. */
  readonly held: readonly ServerResponse[];
  untilHeld(count: number): Promise<void>;
  connect(): Promise<RawClient>;
};

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

let certificate: Promise<{cert: string; key: string}> | undefined;

export const openHeldPort = async (via: Via = 'plain', limits: Partial<ListenerLimits> = {}): Promise<HeldPort> => {
  const asked: string[] = [];
  const held: ServerResponse[] = [];
  const handler: Parameters<typeof listenPlain>[2] = (request, either) => {
    const response = either as ServerResponse;
    let bytes = 0;
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.once('end', () => {
      asked.push(`${request.method} ${request.url} ${bytes}`);
      if (request.url === '/wait') held.push(response);
      else response.end(`<${request.url} ${bytes}>`);
    });
  };
  const at = {host: HOST, port: 0};
  certificate ??= via === 'TLS' ? makeCertificate(HOST) : undefined;
  const listener =
    via === 'TLS' && certificate !== undefined
      ? await listenTls(at, 'https', await certificate, handler, {limits})
      : await listenPlain(at, 'http', handler, {limits});
  opened.push(() => {
    const closed = listener.close();
    listener.force();
    return closed;
  });
  return {
    listener,
    asked,
    held,
    untilHeld: count => expect.poll(() => held.length, {interval: 5}).toBe(count),
    connect: () => connectRaw(listener.address.port, via),
  };
};

export const get = (url: string): string => `GET ${url} HTTP/1.1\r\nHost: h\r\n\r\n`;
export const post = (url: string, bytes: number): string =>
  `POST ${url} HTTP/1.1\r\nHost: h\r\nContent-Length: ${bytes}\r\n\r\n`;
/** The bodies of the answers, in order. */
export const bodies = ({received}: RawClient): string[] => received().match(/<[^>]*>/g) ?? [];
export const until = (client: RawClient, text: string): Promise<void> =>
  expect.poll(client.received, {interval: 5}).toContain(text);
