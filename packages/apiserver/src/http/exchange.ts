// SPDX-License-Identifier: Apache-2.0
/** One request and its answer over HTTP/1.1 or HTTP/2. The only shape of node:http that the rest of this folder sees. */
import type {IncomingMessage, ServerResponse} from 'node:http';
import type {Http2ServerRequest, Http2ServerResponse} from 'node:http2';
import {tooLarge} from '../status-error.ts';

export type HttpRequest = IncomingMessage | Http2ServerRequest;
export type HttpResponse = ServerResponse | Http2ServerResponse;

export const headerOf = (request: HttpRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
};

/** The host and port the client asked for: `:authority` of HTTP/2, else `Host`; empty when neither is sent. Ref: RFC 9113 8.3.1. */
export const authorityOf = (request: HttpRequest): string =>
  headerOf(request, ':authority') ?? headerOf(request, 'host') ?? '';

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const MEDIA_TYPE = new RegExp(
  `^\\s*(${TOKEN}(?:/${TOKEN})?)\\s*(?:;\\s*${TOKEN}\\s*=\\s*(?:${TOKEN}|"(?:[^"\\\\]|\\\\.)*")\\s*)*(?:;\\s*)?$`,
);

/**
 * The media type of the body without parameters: lower case; the whole header when it is none (`;`, `a/b;x`), so that
 * it equals no type. Patches are looked up by the plain text before the first semicolon.
 * Ref: Go mime.ParseMediaType; kubernetes v1.36 apiserver/pkg/endpoints/handlers/patch.go.
 */
export const bodyTypeOf = (request: HttpRequest): string => {
  const value = headerOf(request, 'content-type');
  if (value === undefined) return '';
  if (request.method === 'PATCH') return value.split(';')[0] ?? '';
  return MEDIA_TYPE.exec(value)?.[1]?.toLowerCase() ?? value;
};

/** Reads a body to its end. Throws StatusError 413 beyond `bytesMax`; what follows is discarded. */
export const readBody = (request: HttpRequest, bytesMax: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let refused = false;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (refused) return;
      if (bytes <= bytesMax) chunks.push(chunk);
      else {
        refused = true;
        reject(tooLarge(`limit is ${bytesMax}`));
      }
    });
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.on('error', reject);
    request.on('aborted', () => reject(new Error('the client closed the connection before its request was complete')));
  });

/** Whether nobody takes what is written any longer. A response of HTTP/2 does not say so itself; its stream does. */
export const isGone = (response: HttpResponse): boolean =>
  'stream' in response ? response.stream === undefined || response.stream.destroyed : response.destroyed;

/** Resolves when it can take more, or the client is gone: then `isGone` says so. */
export const drained = (response: HttpResponse): Promise<void> =>
  new Promise(resolve => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });

export type Headers = Record<string, string | number | readonly string[]>;

/** Sends a whole answer; `onSent` is called when nothing refers to the body any longer, or never. */
export const send = (
  response: HttpResponse,
  code: number,
  headers: Headers,
  body: Buffer,
  onSent?: () => void,
): void => {
  headers['Content-Length'] = body.length;
  (response as ServerResponse).writeHead(code, headers as never);
  response.end(body, onSent);
};
