// SPDX-License-Identifier: Apache-2.0
/** One HTTP request and its answer, HTTP/1.1 or HTTP/2, without a framework. */
import type {IncomingMessage, ServerResponse} from 'node:http';
import type {Http2ServerRequest, Http2ServerResponse} from 'node:http2';
import {
  type AnswerAccount,
  type AuditTrail,
  BODY_PIECE_BYTES,
  credentialsOf,
  cutOff,
  inPieces,
  sendHead,
  writePieces,
} from '@palisade/apiserver';
import type {Sender} from '../auth.ts';
import {BODY_BYTES_MAX} from '../limits.ts';
import {answersWait, RpcError} from '../rpc-error.ts';

export type AnyRequest = IncomingMessage | Http2ServerRequest;
export type AnyResponse = ServerResponse | Http2ServerResponse;

export const JSON_TYPE = 'application/json; charset=UTF-8';

type Exchange = {readonly request: AnyRequest; readonly response: AnyResponse};

/** Of the requests whose caller is known, and their responses. */
const accounts = new WeakMap<AnyRequest | AnyResponse, AnswerAccount>();

export const openAccount = ({request, response}: Exchange, account: AnswerAccount): void =>
  void accounts.set(request, account).set(response, account);
export const accountOf = (of: AnyRequest | AnyResponse): AnswerAccount | undefined => accounts.get(of);

/** What requests leave in the audit log, where there is one. */
const trails = new WeakMap<AnyRequest | AnyResponse, AuditTrail>();

export const openTrail = ({request, response}: Exchange, trail: AuditTrail): void =>
  void trails.set(request, trail).set(response, trail);
export const trailOf = (of: AnyRequest | AnyResponse): AuditTrail | undefined => trails.get(of);

/** Throws RESOURCE_EXHAUSTED for what is no refusal, when too much waits for clients. */
export const sendText = (response: AnyResponse, status: number, type: string, text: string): void =>
  sendBody(response, {status, type, body: Buffer.from(text)});

/** Throws RESOURCE_EXHAUSTED when too much waits for clients. */
export const sendBytes = (
  response: AnyResponse,
  type: string,
  body: Buffer,
  more: Readonly<Record<string, string>>,
): void => sendBody(response, {status: 200, type, body, more});

type Body = {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
  /** Further headers. */
  readonly more?: Readonly<Record<string, string>>;
};

const sendBody = (response: AnyResponse, {status, type, body, more}: Body): void => {
  const account = accountOf(response);
  const headers = {
    'content-type': type,
    'cache-control': 'private',
    'x-content-type-options': 'nosniff',
    vary: 'Origin, X-Origin, Referer',
    ...more,
  };
  const fault = account?.fault(body.length, status >= 400);
  if (fault !== undefined && status < 400) throw answersWait(fault);
  if (fault !== undefined && 'stream' in response) {
    sendHead(response, status, headers);
    return;
  }
  // The two kinds of response have the same method, but their types do not add up.
  (response as ServerResponse).writeHead(status, {...headers, 'content-length': body.byteLength});
  if (account === undefined || body.length <= BODY_PIECE_BYTES) {
    response.end(body);
    account?.holdUnsent(body.length);
    return;
  }
  account.hold(body.length);
  writePieces(response, inPieces(body), () => account.progressed()).catch(() => cutOff(response));
};

/** Of one request: what shows its sender, and the headers as they came. */
export const senderOf = (request: AnyRequest): Sender => ({
  ...credentialsOf(request),
  headers: request.headers,
  rawHeaders: request.rawHeaders,
  trail: trailOf(request),
});

/**
 * The JSON of the body; `{}` if there is no body. Throws INVALID_ARGUMENT for anything but JSON, another content type (which also keeps
 * web pages from posting here without asking), or more than BODY_BYTES_MAX; CANCELLED when the client broke it off; RESOURCE_EXHAUSTED
 * when too much is on its way.
 */
export const readJson = async (request: AnyRequest): Promise<unknown> => {
  const type = request.headers['content-type'] ?? 'application/json';
  const body = await readBody(request);
  if (body.length === 0) return {};
  if (!/^application\/([\w.+-]+\+)?json\b/i.test(type))
    throw badBody(`Content-Type must be application/json, not ${type}`);
  try {
    const text = new TextDecoder('utf-8', {fatal: true}).decode(body);
    trailOf(request)?.received();
    return JSON.parse(text);
  } catch (error) {
    throw badBody(error instanceof Error ? error.message : String(error));
  }
};

/** For the audit log: what the body was decoded as, without fields that the message does not have. */
export const recordRequest = (request: AnyRequest, decoded: object): void =>
  trailOf(request)?.requested(() => JSON.stringify(decoded));

const readBody = async (request: AnyRequest): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  const account = accountOf(request);
  let size = 0;
  let fault: string | undefined;
  account?.holdBody(0);
  try {
    // The request is left whole when reading stops early, so that the refusal still reaches the client.
    for await (const chunk of request.iterator({destroyOnReturn: false}) as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength;
      fault = account?.fault(chunk.byteLength);
      if (size > BODY_BYTES_MAX || fault !== undefined) break;
      account?.holdBody(size);
      chunks.push(chunk);
    }
  } catch {
    throw new RpcError('CANCELLED', 'the client closed the connection before its request was complete');
  } finally {
    account?.releaseBody();
  }
  if (size <= BODY_BYTES_MAX && fault === undefined) return Buffer.concat(chunks);
  request.resume();
  if (fault !== undefined) throw answersWait(fault);
  throw badBody(`the body is larger than ${BODY_BYTES_MAX} bytes`);
};

const badBody = (fault: string): RpcError =>
  new RpcError('INVALID_ARGUMENT', `Invalid JSON payload received. ${fault}`);
