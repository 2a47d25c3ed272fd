// SPDX-License-Identifier: Apache-2.0
/**
 * HTTP/1.1 requests that never reach an API: node:http does not read them, or reads what Go's server refuses. Each gets an answer,
 * and its connection ends. Ref: Go, net/http/server.go, `readRequest` and `conn.serve`.
 */
import {type IncomingMessage, type Server, type ServerResponse, STATUS_CODES} from 'node:http';
import type {Socket} from 'node:net';
import type {Duplex} from 'node:stream';
import {apiOf, ERROR_TYPE, errorBody} from './api-errors.ts';
import type {Connections} from './connections.ts';

const PLAIN_TEXT = 'text/plain; charset=utf-8';

/** As node:http reports it. */
type Unread = Error & {code?: string; reason?: string; rawPacket?: Buffer; bytesParsed?: number};

/** Others are 400. */
const CODES: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};
const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ (\S+) HTTP\/1\.[01]$/;

const answerBytes = (code: number, contentType: string, body: string): string =>
  `HTTP/1.1 ${code} ${STATUS_CODES[code]}\r\nContent-Type: ${contentType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;

const methodNotAllowed = (target: string): string => {
  const message = 'the server does not allow this method on the requested resource';
  const fault = {code: 405, reason: 'MethodNotAllowed', status: 'UNIMPLEMENTED', message};
  return answerBytes(405, ERROR_TYPE, errorBody(apiOf(target), fault));
};

/** The target of a request line in which only the method is unknown to node:http. */
const targetOf = ({code, rawPacket, bytesParsed = 0}: Unread): string | undefined => {
  if (code !== 'HPE_INVALID_METHOD') return undefined;
  const text = String(rawPacket?.toString('latin1'));
  const line = text.slice(text.lastIndexOf('\n', bytesParsed) + 1).split('\r\n', 1)[0] ?? '';
  return REQUEST_LINE.exec(line)?.[1];
};

const answerTo = (error: Unread): string => {
  const target = targetOf(error);
  if (target !== undefined) return methodNotAllowed(target);
  const code = CODES[error.code ?? ''] ?? 400;
  const text = `${code} ${STATUS_CODES[code]}`;
  const wayOut = error.code === 'HPE_INVALID_URL' ? '; percent-encode bytes that are not ASCII' : '';
  const reason = code === 400 && error.reason !== undefined ? `: ${error.reason}${wayOut}` : '';
  return answerBytes(code, PLAIN_TEXT, `${text}${reason}`);
};

const endWith = (socket: Socket, answer: string): void => {
  if (socket.writable) socket.write(answer);
  socket.destroySoon();
};

/** Answers what `server` cannot read, and CONNECT. Answers that are under way on the connection go first. */
export const answerUnread = (server: Server, connections: Pick<Connections, 'whenIdle' | 'lookAfter'>): void => {
  const latest = new WeakMap<Socket, {request: IncomingMessage; response: ServerResponse}>();
  server.on('request', (request: IncomingMessage, response: ServerResponse) =>
    latest.set(request.socket, {request, response}),
  );
  server.on('clientError', (error: Unread, duplex: Duplex) => {
    const socket = duplex as Socket;
    if (error.code === 'HPE_CLOSED_CONNECTION') return; // bytes after a request with `Connection: close`, which is answered
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const {request, response} = latest.get(socket) ?? {};
    if (request?.complete !== false) connections.whenIdle(socket, () => endWith(socket, answerTo(error)));
    else if (response?.headersSent === false && response.socket === socket) endWith(socket, answerTo(error));
    else socket.destroy();
  });
  server.on('connect', ({url = ''}: IncomingMessage, duplex: Duplex) => {
    const socket = duplex as Socket;
    connections.lookAfter(socket);
    connections.whenIdle(socket, () => endWith(socket, methodNotAllowed(url)));
  });
};

/** A second Host: a proxy before us and we may mean different servers. Ref: RFC 9112 section 3.2. */
const faultOf = ({httpVersion, httpVersionMajor, rawHeaders}: IncomingMessage) => {
  if (httpVersionMajor !== 1) return {code: 505, text: 'HTTP Version Not Supported: unsupported protocol version'};
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length > 1) return {code: 400, text: 'Bad Request: too many Host headers'};
  return hosts.length === 0 && httpVersion === '1.1'
    ? {code: 400, text: 'Bad Request: missing required Host header'}
    : undefined;
};

type Handler<R extends ServerResponse> = (request: IncomingMessage, response: R) => void;

/** The handler without requests that node:http takes and Go's server refuses, in Go's words. */
export const refuseAsGo =
  <R extends ServerResponse>(handler: Handler<R>): Handler<R> =>
  (request, response) => {
    const fault = faultOf(request);
    if (fault === undefined) return handler(request, response);
    const body = `${fault.code} ${fault.text}`;
    const headers = {'content-type': PLAIN_TEXT, 'content-length': body.length, connection: 'close'};
    response.writeHead(fault.code, fault.text, headers).end(body);
  };
