// SPDX-License-Identifier: Apache-2.0
/** One request and its answer over HTTP/1.1 or HTTP/2. The only shape of node:http that the rest of this folder sees. */
import type {IncomingMessage, ServerResponse} from 'node:http';
import {constants, type Http2ServerRequest, type Http2ServerResponse} from 'node:http2';
import type {Headers} from '../base/headers.ts';
import {tooLarge} from '../base/status-error.ts';
import type {Timers} from '../base/time.ts';

export type HttpRequest = IncomingMessage | Http2ServerRequest;
export type HttpResponse = ServerResponse | Http2ServerResponse;

export const headerOf = (request: HttpRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
};

/** The first value of a header that was sent more than once, as Go's `Header.Get` has it; others of Node's are joined. */
export const firstHeaderOf = (request: HttpRequest, name: string): string | undefined => {
  const value = headerOf(request, name);
  if (value?.includes(',') !== true) return value;
  const {rawHeaders} = request;
  return rawHeaders[rawHeaders.findIndex((text, i) => i % 2 === 0 && text.toLowerCase() === name) + 1];
};

/** The host and port the client asked for: `:authority` of HTTP/2, else `Host`; empty when neither is sent. Ref: RFC 9113 8.3.1. */
export const authorityOf = (request: HttpRequest): string =>
  headerOf(request, ':authority') ?? headerOf(request, 'host') ?? '';

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** Name and value, a group for each. */
const PARAMETER = `;\\s*(${TOKEN})\\s*=\\s*(${TOKEN}|"(?:[^"\\\\]|\\\\.)*")`;
const PARAMETERS = new RegExp(PARAMETER, 'g');
const MEDIA_TYPE = new RegExp(`^\\s*(${TOKEN}(?:/${TOKEN})?)\\s*(?:${PARAMETER}\\s*)*(?:;\\s*)?$`);

/**
 * The media type of the body without parameters: lower case; the whole header when it is none (`;`, `a/b;x`), so that
 * it equals no type. Patches are looked up by the plain text before the first semicolon.
 * Ref: Go mime.ParseMediaType; kubernetes v1.36 apiserver/pkg/endpoints/handlers/patch.go.
 */
export const bodyTypeOf = (request: HttpRequest): string => {
  const value = headerOf(request, 'content-type');
  if (value === undefined) return '';
  if (request.method === 'PATCH') return value.split(';')[0] ?? '';
  const type = MEDIA_TYPE.exec(value)?.[1]?.toLowerCase();
  return type === undefined || (value.includes(';') && saysTwoThings(value)) ? value : type;
};

/** One parameter with two values makes the header none. */
const saysTwoThings = (value: string): boolean => {
  const values = new Map<string, string>();
  return [...value.matchAll(PARAMETERS)].some(([, name = '', text = '']) => {
    const key = name.toLowerCase();
    const plain = text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text;
    const differs = (values.get(key) ?? plain) !== plain;
    values.set(key, plain);
    return differs;
  });
};

/** Counts the bytes of a body against what its user may have in memory; `UnreadAnswers` has one for each answer. */
type BodyAccount = {
  /** Throws StatusError 429. */
  demandRoom(bytes: number): void;
  holdBody(bytes: number): void;
  releaseBody(): void;
};

/** The client closed the connection before its request was complete: nobody is there to be answered. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

/** Reads a body to its end. Throws StatusError 413 beyond `bytesMax`, 429 beyond what `account` has room for; what follows is discarded. */
export const readBody = (request: HttpRequest, bytesMax: number, account: BodyAccount): Promise<Buffer> =>
  new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let refused = false;
    account.holdBody(0);
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (refused) return;
      try {
        if (bytes > bytesMax) throw tooLarge(`limit is ${bytesMax}`);
        account.demandRoom(chunk.length);
      } catch (error) {
        refused = true;
        chunks.length = 0;
        return reject(error);
      }
      account.holdBody(bytes);
      chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.on('error', reject);
    request.on('aborted', () => reject(new ClientGoneError()));
  }).finally(() => account.releaseBody());

/** Whether nobody takes what is written any longer. A response of HTTP/2 does not say so itself; its stream does. */
export const isGone = (response: HttpResponse): boolean =>
  'stream' in response ? response.stream === undefined || response.stream.destroyed : response.destroyed;

/**
 * Takes no further request on an HTTP/2 connection, which ends when those under way are answered. What came together with this one
 * is under way.
 */
export const endSession = (request: HttpRequest, timers: Pick<Timers, 'soon'>): void => {
  if (!('stream' in request)) return;
  const {session} = request.stream;
  timers.soon(() => session?.close());
};

/** Ends an answer so that no client takes it for whole. Node's own end of a stream of HTTP/2 says that there was no error. */
export const cutOff = (response: HttpResponse): void => {
  if (!('stream' in response)) {
    response.destroy();
    response.req.socket.destroy(); // an answer that waits behind another of its connection has no socket yet
  } else if (response.stream?.closed === false) {
    response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    response.stream.destroy(); // without it a stream whose client reads nothing of the connection stays
  }
};

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

/** Sends an answer without a body: over HTTP/2 it is complete whether the client takes anything or not. */
export const sendHead = (response: HttpResponse, code: number, headers: Headers): void => {
  response.statusCode = code;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value as string);
  (response as ServerResponse).end();
};

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
  (response as ServerResponse).end(body, onSent);
};
