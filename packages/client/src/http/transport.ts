// SPDX-License-Identifier: Apache-2.0
/** JSON over node:http(s): one connection pool per server, whole answers or line streams, every wait bounded. */
import http from 'node:http';
import https from 'node:https';
import {
  type Connection,
  type HttpRequest,
  isTransportError,
  LINE_BYTES_MAX,
  REQUEST_TIMEOUT_MS,
  RESPONSE_BYTES_MAX,
  type Transport,
  TransportError,
} from './contract.ts';
import {LineTooLongError, readLines} from './lines.ts';
import {queryText} from './query.ts';

const SOCKETS_MAX = 256;

export type TransportOptions = {
  readonly userAgent: string;
  readonly timeoutMs?: number | undefined;
  /** Called when a request is sent that needs no longer than usual; what it returns is called when its answer begins or fails to come. */
  readonly onRequest?: (() => () => void) | undefined;
};

export function createTransport(connection: Connection, options: TransportOptions): Transport {
  const base = parseServer(connection.server);
  const agent = createAgent(base, connection);
  const timeoutMs = options.timeoutMs ?? REQUEST_TIMEOUT_MS;
  const exchange = async (request: HttpRequest, idleMs: number): Promise<Answer> => {
    const isUsual = (request.silenceMs ?? 0) <= REQUEST_TIMEOUT_MS;
    const ended = isUsual ? options.onRequest?.() : undefined;
    try {
      return await startExchange({base, agent, connection, request, userAgent: options.userAgent, idleMs});
    } finally {
      ended?.();
    }
  };
  return {
    send: async request => {
      const answer = await exchange(request, request.silenceMs ?? timeoutMs);
      return {...headOf(answer), body: (await readBody(answer)).toString('utf8')};
    },
    sendForBytes: async request => {
      const answer = await exchange(request, request.silenceMs ?? timeoutMs);
      return {...headOf(answer), body: await readBody(answer)};
    },
    open: async request => {
      const {silenceMs = 0, firstSilenceMs = silenceMs} = request;
      const answer = await exchange(request, firstSilenceMs);
      return {...headOf(answer), lines: streamLines(answer, silenceMs)};
    },
    openBytes: async request => {
      const answer = await exchange(request, request.silenceMs ?? timeoutMs);
      return {...headOf(answer), bytes: streamBytes(answer)};
    },
    close: () => agent.destroy(),
  };
}

function parseServer(server: string): URL {
  const url = URL.parse(server);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new TransportError(
      'unreachable',
      `${JSON.stringify(server)} is not a server address: expected http(s)://HOST:PORT`,
    );
  }
  return url;
}

function createAgent(base: URL, {tls}: Connection): http.Agent {
  const pool = {keepAlive: true, maxSockets: SOCKETS_MAX};
  if (base.protocol === 'http:') return new http.Agent(pool);
  return new https.Agent({
    ...pool,
    ...(tls?.ca === undefined ? {} : {ca: tls.ca}),
    ...(tls?.cert === undefined ? {} : {cert: tls.cert}),
    ...(tls?.key === undefined ? {} : {key: tls.key}),
    ...(tls?.serverName === undefined ? {} : {servername: tls.serverName}),
    rejectUnauthorized: tls?.insecure !== true,
  });
}

/** The head of an answer has come; its body is still to be read. */
type Answer = {
  readonly message: http.IncomingMessage;
  /** What a failure while reading the body means. */
  readonly failed: (cause: unknown) => TransportError;
  /** The longest silence of the server from now on, in milliseconds; 0: none. */
  readonly allowSilence: (ms: number) => void;
};

type Exchange = {
  readonly base: URL;
  readonly agent: http.Agent;
  readonly connection: Connection;
  readonly request: HttpRequest;
  readonly userAgent: string;
  /** Longest silence of the server; 0: none. */
  readonly idleMs: number;
};

function startExchange(exchange: Exchange, isRetry = false): Promise<Answer> {
  const {base, agent, request, connection} = exchange;
  const {promise, resolve, reject} = Promise.withResolvers<Answer>();
  let silence: TransportError | undefined;
  const open = base.protocol === 'https:' ? https.request : http.request;
  const call = open({
    protocol: base.protocol,
    hostname: base.hostname.replace(/^\[|\]$/g, ''),
    port: base.port,
    method: request.method,
    path: `${base.pathname.replace(/\/$/, '')}${request.path}${queryText(request.query)}`,
    headers: headersOf(exchange),
    agent,
    ...(exchange.idleMs > 0 ? {timeout: exchange.idleMs} : {}), // counts while it connects, too; setTimeout does not
    ...(request.signal === undefined ? {} : {signal: request.signal}),
  });
  let {idleMs} = exchange;
  const allowSilence = (ms: number): void => {
    idleMs = ms;
    call.setTimeout(ms);
  };
  call.on('timeout', () => {
    silence = new TransportError(
      'timeout',
      `no answer from ${connection.server} within ${idleMs % 1000 === 0 ? `${idleMs / 1000} s` : `${idleMs} ms`}`,
    );
    call.destroy(silence);
  });
  if (idleMs > 0) allowSilence(idleMs);
  call.on('response', message => {
    if (isOfTlsPort(base, message)) {
      message.resume();
      const why = 'it is an HTTPS port: write https:// instead of http://';
      reject(new TransportError('unreachable', `cannot reach ${connection.server}: ${why}`));
      return;
    }
    const failed = (cause: unknown): TransportError => silence ?? brokenOff(cause, connection, request.signal);
    resolve({message, failed, allowSilence});
  });
  call.on('error', (cause: NodeJS.ErrnoException) => {
    // A kept connection that the server closed in the same moment: the request was not read, so asking again is safe.
    const isStale = call.reusedSocket && cause.code === 'ECONNRESET' && request.method !== 'POST' && !isRetry;
    if (isStale) resolve(startExchange(exchange, true));
    else reject(toTransportError(cause, connection, request.signal, call.reusedSocket));
  });
  // as bytes: a text would be written in one with the head, which would then be UTF-8 of what is UTF-8 already
  call.end(request.body === undefined ? undefined : Buffer.from(request.body));
  return promise;
}

/** What servers in Go, and palisade, say to HTTP on a TLS port: 400 without a single header. Ref: Go, net/http/server.go. */
const isOfTlsPort = ({protocol}: URL, {httpVersion, statusCode, rawHeaders}: http.IncomingMessage): boolean =>
  protocol === 'http:' && httpVersion === '1.0' && statusCode === 400 && rawHeaders.length === 0;

function headersOf({connection, request, userAgent}: Exchange): http.OutgoingHttpHeaders {
  const authorization = connection.authorization?.();
  return {
    accept: 'application/json',
    'user-agent': userAgent,
    ...connection.headers,
    ...(authorization === undefined ? {} : {authorization}),
    ...(request.body === undefined
      ? {}
      : {'content-type': 'application/json', 'content-length': String(Buffer.byteLength(request.body))}),
    ...request.headers,
  };
}

function toTransportError(
  cause: NodeJS.ErrnoException,
  connection: Connection,
  signal: AbortSignal | undefined,
  wasAnswered: boolean,
): TransportError {
  if (isTransportError(cause)) return cause;
  if (signal?.aborted)
    return new TransportError('aborted', `the request to ${connection.server} was cancelled`, {cause});
  const reason = reasonOf(cause, connection.server, wasAnswered);
  return new TransportError('unreachable', `cannot reach ${connection.server}: ${reason}`, {cause});
}

/** The certificate of the server is of nobody that is trusted here. Ref: Node's X509 codes. */
const UNTRUSTED = /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/;

/** Whether the server's certificate was refused for want of a trusted authority. */
export const isUntrustedCertificate = ({cause}: TransportError): boolean =>
  UNTRUSTED.test((cause as NodeJS.ErrnoException | undefined)?.code ?? '');

/** Mix-ups of http and https look like faults of the network; `wasAnswered`: the connection has worked before. */
function reasonOf({code = '', message}: NodeJS.ErrnoException, server: string, wasAnswered: boolean): string {
  if (code === 'ECONNREFUSED') return 'connection refused; is the server running?';
  if (code === 'ENOTFOUND') return 'no host has this name: check its spelling';
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH')
    return `there is no way to it (${message}): check the address, and the route with ip route get`;
  if (code === 'EAI_AGAIN') return 'its name cannot be looked up now: check its spelling and the network';
  if (UNTRUSTED.test(code)) return `its certificate is signed by an authority that is not trusted here (${code})`;
  const isTls = server.startsWith('https:');
  if (
    isTls &&
    (code === 'EPROTO' || code.startsWith('ERR_SSL_')) &&
    /wrong.version.number|packet.length/i.test(message)
  )
    return `it does not speak TLS: if it is a plain HTTP port, write http:// instead of https://`;
  if (!isTls && !wasAnswered && (code === 'ECONNRESET' || code.startsWith('HPE_')))
    return `it closed the connection without an answer (${message}): if it is an HTTPS port, write https:// instead of http://`;
  return message;
}

/** An answer that ended before its end. */
function brokenOff(cause: unknown, connection: Connection, signal: AbortSignal | undefined): TransportError {
  if (isTransportError(cause)) return cause;
  if (cause instanceof LineTooLongError) return new TransportError('too-large', cause.message, {cause});
  if (signal?.aborted)
    return new TransportError('aborted', `the request to ${connection.server} was cancelled`, {cause});
  return new TransportError('broken', `${connection.server} closed the connection in the middle of an answer`, {cause});
}

function headOf({message}: Answer): {status: number; headers: Record<string, string>} {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return {status: message.statusCode ?? 0, headers};
}

async function readBody({message, failed}: Answer): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > RESPONSE_BYTES_MAX) {
        throw new TransportError('too-large', `the answer is larger than ${RESPONSE_BYTES_MAX} bytes`);
      }
      chunks.push(chunk);
    }
  } catch (cause) {
    throw failed(cause);
  }
  return Buffer.concat(chunks, size);
}

async function* streamBytes({message, failed}: Answer): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) yield chunk;
  } catch (cause) {
    throw failed(cause);
  } finally {
    message.destroy();
  }
}

/** `silenceMs`: the longest one from the first line on; 0: none. */
async function* streamLines({message, failed, allowSilence}: Answer, silenceMs: number): AsyncGenerator<string> {
  let isFirst = true;
  try {
    for await (const line of readLines(message as AsyncIterable<Buffer>, LINE_BYTES_MAX)) {
      if (isFirst) allowSilence(silenceMs);
      isFirst = false;
      yield line;
    }
  } catch (cause) {
    throw failed(cause);
  } finally {
    message.destroy();
  }
}
