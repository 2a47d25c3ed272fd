// SPDX-License-Identifier: Apache-2.0
/** POST over one kept connection: a body goes out, a bounded answer comes back. The caller bounds the time with a signal. */
import {type IncomingMessage, Agent as PlainAgent, request as requestPlain} from 'node:http';
import {request as requestTls, Agent as TlsAgent} from 'node:https';
import type {Clock} from '../system.ts';

/** Bytes of an answer that are read; what follows is not. */
const ANSWER_BYTES_MAX = 64 * 1_024;

export type PostOptions = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** PEM, in place of the system's authorities. */
  readonly ca?: string | undefined;
  /** PEM, of this client. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly clock: Clock;
};

export type PostAnswer = {
  readonly status: number;
  /** What Retry-After asks for. */
  readonly retryAfterMs: number | undefined;
  readonly contentType: string;
  readonly body: Buffer;
};

export type Poster = {
  post(body: Uint8Array, signal: AbortSignal): Promise<PostAnswer>;
  close(): void;
};

/** Seconds or a date. Ref: RFC 9110 section 10.2.3. */
export const retryAfterMs = (text: string | undefined, nowMs: number): number | undefined => {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text.trim())) return Number(text) * 1_000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(at - nowMs, 0);
};

const readAnswer = async (response: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk.subarray(0, ANSWER_BYTES_MAX - size));
    size += chunk.length;
    if (size >= ANSWER_BYTES_MAX) break; // destroys the response, and with it the connection
  }
  return Buffer.concat(chunks);
};

export function openPoster({url, headers, ca, cert, key, clock}: PostOptions): Poster {
  const isTls = url.protocol === 'https:';
  const keep = {keepAlive: true, maxSockets: 1};
  const agent = isTls ? new TlsAgent({...keep, ca, cert, key}) : new PlainAgent(keep);
  const post = (body: Uint8Array, signal: AbortSignal) =>
    new Promise<PostAnswer>((resolve, reject) => {
      const options = {
        method: 'POST',
        agent,
        signal,
        headers: {...headers, 'content-length': String(body.byteLength)},
      };
      const request = (isTls ? requestTls : requestPlain)(url, options, response => {
        readAnswer(response).then(
          answer =>
            resolve({
              status: response.statusCode ?? 0,
              retryAfterMs: retryAfterMs(response.headers['retry-after'], clock.now()),
              contentType: response.headers['content-type'] ?? '',
              body: answer,
            }),
          reject,
        );
      });
      request.on('error', reject);
      request.end(body);
    });
  return {post, close: () => agent.destroy()};
}
