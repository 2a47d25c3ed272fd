// SPDX-License-Identifier: Apache-2.0
/**
 * POST over one kept connection: a body goes out, a bounded answer comes back. The caller bounds the time with a signal. Redirects are
 * not followed and no proxy is used: records go to the host of the URL alone.
 */
import {Agent, type IncomingMessage, request as requestHttp} from 'node:http';
import {request as requestHttps, Agent as SecureAgent} from 'node:https';
import {createSecureContext} from 'node:tls';
import {type Clock, messageOf} from '../system.ts';
import {ExportError, type ExportFiles} from './exporter.ts';

/** Bytes of an answer that are read; a longer one ends the connection. */
const ANSWER_BYTES = 65_536;

export type PostAnswer = {
  readonly status: number;
  /** What Retry-After asks for. */
  readonly retryAfterMs: number | undefined;
  readonly contentType: string;
  /** As far as it could be read. */
  readonly body: Buffer;
};

export type Poster = {
  /** Throws ExportError when there is no answer. */
  post(body: Uint8Array, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<PostAnswer>;
  close(): void;
};

/** Milliseconds; undefined: there is no such header, or no time in it. Ref: RFC 9110, section 10.2.3. */
export const retryAfterMs = (text: string | undefined, nowMs: number): number | undefined => {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(at - nowMs, 0);
};

const agentOf = (isSecure: boolean, {ca, cert, key}: Partial<ExportFiles>): Agent => {
  const limits = {keepAlive: true, maxSockets: 1, scheduling: 'lifo'} as const;
  if (!isSecure) return new Agent(limits);
  const tls = {
    rejectUnauthorized: true, // whatever NODE_TLS_REJECT_UNAUTHORIZED says
    ...(ca === undefined ? {} : {ca}),
    ...(cert === undefined || key === undefined ? {} : {cert, key}),
  };
  try {
    createSecureContext(tls);
  } catch (error) {
    throw new ExportError('unavailable', `certificate or key cannot be used: ${messageOf(error)}`, {cause: error});
  }
  return new SecureAgent({...limits, ...tls, minVersion: 'TLSv1.2'});
};

/** To the end, so that the connection can be used again. What breaks in an answer does not change its status. */
const readAnswer = async (response: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES) break; // destroys it
    }
  } catch {}
  return Buffer.concat(chunks).subarray(0, ANSWER_BYTES);
};

/** Throws ExportError for certificates that cannot be used. */
export function openPoster(url: URL, files: Partial<ExportFiles>, clock: Clock): Poster {
  const isSecure = url.protocol === 'https:';
  const agent = agentOf(isSecure, files);
  return {
    post: async (body, headers, signal) => {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const options = {
          method: 'POST',
          agent,
          signal,
          headers: {...headers, 'content-length': String(body.byteLength)},
        };
        const request = (isSecure ? requestHttps : requestHttp)(url, options, resolve);
        request.once('error', reject);
        request.end(body);
      }).catch((error: unknown) => {
        throw new ExportError('unavailable', messageOf(error), {cause: error});
      });
      return {
        body: await readAnswer(response),
        status: response.statusCode ?? 0,
        retryAfterMs: retryAfterMs(response.headers['retry-after'], clock.now()),
        contentType: response.headers['content-type'] ?? '',
      };
    },
    close: () => agent.destroy(),
  };
}
