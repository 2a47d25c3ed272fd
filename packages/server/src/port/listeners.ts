// SPDX-License-Identifier: Apache-2.0
/**
 * Sockets. A plaintext port speaks HTTP/1.1 and HTTP/2 with prior knowledge (gRPC) side by side: the first bytes decide.
 * A TLS port negotiates by ALPN. Every connection is known, so that a drain can end the idle ones.
 */
import {constants} from 'node:crypto';
import {createServer as createHttpServer, type IncomingMessage, type ServerResponse} from 'node:http';
import {createServer as createHttp2Server, type Http2ServerRequest, type Http2ServerResponse} from 'node:http2';
import {type AddressInfo, createServer as createNetServer, type Server as NetServer, type Socket} from 'node:net';
import {createServer as createTlsServer, type SecureContextOptions} from 'node:tls';
import {serveUpgrades, type Timers} from '@palisade/apiserver';
import {CommandError} from '../errors.ts';
import type {Logger} from '../process/logger.ts';
import {systemTimers} from '../process/system.ts';
import {formatAddress, type ListenAddress} from './addresses.ts';
import {Connections} from './connections.ts';
import {onProtocol} from './first-bytes.ts';
import {closeWhenIdle} from './idle-sessions.ts';
import {endStreamsOfLeft} from './left-sessions.ts';
import {OpenStreams} from './open-streams.ts';
import {answerUnread, refuseAsGo} from './refused-requests.ts';

export type AnyRequest = IncomingMessage | Http2ServerRequest;
export type AnyResponse = ServerResponse | Http2ServerResponse;
export type Handler = (request: AnyRequest, response: AnyResponse) => void;

export type Listener = {
  /** With the port that was taken when 0 was asked for. */
  readonly address: ListenAddress;
  /** No new connections; resolves when those that are open have ended. `force()` ends them. */
  close(): Promise<void>;
  force(): void;
};

/** PEM. `clientCa`: the CAs of client certificates; absent: none is accepted. */
export type TlsPem = {readonly cert: string; readonly key: string; readonly clientCa?: string | undefined};

export type TlsListener = Listener & {
  /** For connections from now on; those that are open keep theirs. */
  setCertificate(pem: TlsPem): void;
};

/** Bounds of one port. */
export const LISTENER_LIMITS = {
  /** Open connections: more than there may be watches, each of which takes one under HTTP/1.1. One more is closed at once. */
  connectionsMax: 25_000,
  /** Requests under way on one connection: streams of HTTP/2 (client-go has all its watches on one), or sent ahead under HTTP/1.1. */
  requestsPerConnectionMax: 1_000,
  /** Bytes of the heads of requests that were sent ahead over HTTP/1.1 and are not answered yet. */
  requestsAheadBytesMax: 1024 * 1024,
  /** From the connection, or the end of the last request's keep-alive, to a whole request head. Ref: kube-apiserver ReadHeaderTimeout. */
  headersMs: 32_000,
  /** To the whole request with its body. */
  requestMs: 300_000,
  /** Without a request under way (HTTP/1.1), or without an open stream (HTTP/2). */
  keepAliveMs: 60_000,
  /** How often the three above are looked at under HTTP/1.1. */
  checkMs: 10_000,
  /** From the end of an HTTP/2 session to that of its connection, which is for the client to end. */
  lingerMs: 10_000,
};
export type ListenerLimits = Readonly<typeof LISTENER_LIMITS>;

export type ListenerParts = {
  readonly timers?: Timers;
  readonly log?: Pick<Logger, 'warn' | 'error'>;
  readonly limits?: Partial<ListenerLimits>;
  /** Called for each TLS handshake that failed. */
  readonly onHandshakeFailed?: () => void;
};

/**
 * Of a request line and its header fields, and how many these may be: who acts for a user of many groups names each of them. Go takes
 * 1 MiB and any number; here the fields of all who have only begun a request, or do not read its answer, are held in memory.
 */
const HEADER_BYTES_MAX = 128 * 1024;
const HEADERS_MAX = 1_024;
/** `:method`, `:scheme`, `:authority` and `:path`. */
const PSEUDO_HEADERS = 4;
/** What HTTP/2 counts for each field beside its bytes. Ref: RFC 9113, section 6.5.2. */
const HTTP2_FIELD_BYTES = 32;
/** Part of `connectionsMax` below which a full port counts as relieved. */
const LOGGED_AGAIN_BELOW = 0.9;
/**
 * From the last byte of a connection to the first question whether its other end is still there (ten, a second apart; then it is
 * closed): who is gone without a word would be kept where nothing is to be sent. Ref: kube-apiserver, the same time.
 */
const KEEP_ALIVE_PROBE_MS = 180_000;
/** What a TLS port says to who speaks HTTP without TLS there, in more methods than Go looks for. Ref: Go, net/http/server.go. */
const SPOKE_HTTP = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

/** Node counts them for HTTP/2 otherwise: with `HTTP2_FIELD_BYTES`, and only once the client has acknowledged the bound. */
const withinHeaderBytes =
  (handler: Handler): Handler =>
  (request, response) => {
    const bytes = request.rawHeaders.reduce((sum, {length}) => sum + length, 0);
    if (bytes <= HEADER_BYTES_MAX) return handler(request, response);
    response.statusCode = 431; // Request Header Fields Too Large
    response.end();
  };

const cannotListen = (error: NodeJS.ErrnoException, at: ListenAddress, flag: string): CommandError => {
  const where = formatAddress(at);
  const words: Record<string, string> = {
    EADDRINUSE: `--${flag} ${where}: the port is in use; stop the other program or choose another port, such as --${flag} ${formatAddress({...at, port: 0})} (0 takes a free one)`,
    EACCES: `--${flag} ${where}: not permitted to listen there; choose a port above 1023`,
    EADDRNOTAVAIL: `--${flag} ${where}: this machine has no such address`,
  };
  return new CommandError(words[error.code ?? ''] ?? `--${flag} ${where}: ${error.message}`, {cause: error});
};

/**
 * Throws CommandError. Once it listens, a failed accept (no file descriptor is left) is logged, once until one succeeds again, and
 * the port goes on.
 */
const listen = (server: NetServer, at: ListenAddress, flag: string, parts: ListenerParts): Promise<ListenAddress> =>
  new Promise((resolve, reject) => {
    let isLogged = false;
    server.on('error', (error: NodeJS.ErrnoException) => {
      if (!server.listening) return reject(cannotListen(error, at, flag));
      if (!isLogged) parts.log?.error({err: error, port: flag}, 'connection accept failed');
      isLogged = true;
    });
    server.on('connection', () => {
      isLogged = false;
    });
    boundConnections(server, flag, parts);
    server.on('connection', (socket: Socket) => {
      dropUnlessKnown(socket);
      // An event of a watch must not wait until the client has acknowledged the one before (RFC 896, up to 40 ms).
      socket.setNoDelay();
      socket.setKeepAlive(true, KEEP_ALIVE_PROBE_MS);
    });
    server.listen(at.port, at.host, () => resolve({host: at.host, port: (server.address() as AddressInfo).port}));
  });

/**
 * Of a connection that its client has reset already nobody can find out the address, but its requests could still be read: they would
 * count for no address, and the audit log would show the one that a header names. Node keeps an address that was asked for once.
 */
const dropUnlessKnown = (socket: Socket): boolean => {
  if (socket.remoteAddress !== undefined) return false;
  socket.destroy();
  return true;
};

/** The limit is logged once, and again only after the port had room for a while. */
const boundConnections = (server: NetServer, flag: string, {log, limits}: ListenerParts): void => {
  const {connectionsMax} = {...LISTENER_LIMITS, ...limits};
  server.maxConnections = connectionsMax;
  let isLogged = false;
  server.on('drop', () => {
    if (!isLogged) log?.warn({port: flag, connectionsMax}, 'connection limit reached, new connections refused');
    isLogged = true;
  });
  server.on('connection', () => {
    if (!isLogged) return;
    server.getConnections((_error, count) => {
      if (count < connectionsMax * LOGGED_AGAIN_BELOW) isLogged = false;
    });
  });
};

const closing = (server: NetServer, connections: Connections): Promise<void> =>
  new Promise(resolve => {
    server.close(() => resolve());
    connections.drain();
  });

/** What both kinds of port have: the two protocols over sockets that were opened elsewhere. */
const protocols = (plain: Handler, parts: ListenerParts) => {
  const limits: ListenerLimits = {...LISTENER_LIMITS, ...parts.limits};
  const {timers = systemTimers} = parts;
  const connections = new Connections({
    timers,
    requestsMax: limits.requestsPerConnectionMax,
    aheadBytesMax: limits.requestsAheadBytesMax,
    lingerMs: limits.lingerMs,
  });
  const handler = connections.counted(refuseAsGo(plain));
  const h1 = createHttpServer(
    {
      keepAliveTimeout: limits.keepAliveMs,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkMs,
      maxHeaderSize: HEADER_BYTES_MAX,
      requireHostHeader: false, // refuseAsGo does
    },
    handler,
  );
  h1.maxHeadersCount = HEADERS_MAX; // by default 1,000: fewer than HTTP/2 takes here
  answerUnread(h1, connections);
  serveUpgrades(h1, handler, socket => connections.isIdle(socket));
  h1.emit('listening'); // begins to look at its time-outs; the port itself is opened by its owner, for both protocols
  const h2 = createHttp2Server(
    {
      settings: {
        maxConcurrentStreams: limits.requestsPerConnectionMax,
        maxHeaderListSize: HEADER_BYTES_MAX + HEADERS_MAX * HTTP2_FIELD_BYTES,
      },
      maxHeaderListPairs: HEADERS_MAX + PSEUDO_HEADERS,
      // Else a header with space around its value is dropped without a word: who impersonates " jane " would act for himself. Ref: Go
      // keeps it. One with a control character is dropped still, where Go ends the stream: Node tells nobody of it.
      strictFieldWhitespaceValidation: false,
    },
    connections.counted(withinHeaderBytes(plain)),
  );
  // Node's own answer throws where the client has reset the stream in the same breath, which would end the process.
  h2.on('checkContinue', (request: Http2ServerRequest, response: Http2ServerResponse) => {
    if (request.stream.closed || request.stream.destroyed) return;
    response.writeContinue();
    h2.emit('request', request, response);
  });
  const serveSession = (socket: Socket): void => {
    h2.once('session', session => {
      connections.session(session);
      const streams = new OpenStreams(session);
      endStreamsOfLeft(session, streams, {timers, graceMs: limits.keepAliveMs});
      closeWhenIdle(session, streams, socket, {timers, idleMs: limits.keepAliveMs});
    });
    h2.emit('connection', socket); // makes the session at once
  };
  return {
    limits,
    timers,
    connections,
    serve: (socket: Socket, http2: boolean): void => {
      if (http2) serveSession(socket);
      else h1.emit('connection', socket);
    },
    close: async (server: NetServer): Promise<void> => {
      await closing(server, connections);
      h1.close();
    },
  };
};

/** HTTP/1.1 and HTTP/2 cleartext on one port. */
export async function listenPlain(
  at: ListenAddress,
  flag: string,
  handler: Handler,
  parts: ListenerParts = {},
): Promise<Listener> {
  const {limits, timers, connections, serve, close} = protocols(handler, parts);
  const server = createNetServer(socket => {
    connections.openedPlain(socket);
    onProtocol(socket, {timers, withinMs: limits.headersMs}, http2 => {
      if (http2) connections.carriesSession(socket);
      serve(socket, http2);
    });
  });
  const address = await listen(server, at, flag, parts);
  return {address, close: () => close(server), force: () => connections.force()};
}

const contextOf = ({cert, key, clientCa}: TlsPem): SecureContextOptions => ({
  cert,
  key,
  ca: clientCa ?? [], // else those of the system
  allowPartialTrustChain: true, // each CA that is named counts, whoever signed it, as in Go
  minVersion: 'TLSv1.2',
  // A resumed session would bring its certificate without the chain, and without another look at it.
  secureOptions: constants.SSL_OP_NO_TICKET,
  // The cipher that the client likes best. For Go's, where they have AES in hardware, that is AES-128 with SHA-256: the cheapest.
  honorCipherOrder: false,
});

/** HTTPS, HTTP/2 and gRPC by ALPN; a client certificate is asked for, never demanded. */
export async function listenTls(
  at: ListenAddress,
  flag: string,
  pem: TlsPem,
  handler: Handler,
  parts: ListenerParts = {},
): Promise<TlsListener> {
  const {limits, connections, serve, close} = protocols(handler, parts);
  const server = createTlsServer({
    ALPNProtocols: ['h2', 'http/1.1'],
    ...contextOf(pem),
    requestCert: true,
    rejectUnauthorized: false, // who shows a bad certificate is answered 401
    handshakeTimeout: limits.headersMs,
  });
  server.on('connection', socket => connections.openedTls(socket));
  server.on('secureConnection', socket => {
    if (dropUnlessKnown(socket)) return;
    const http2 = socket.alpnProtocol === 'h2';
    connections.secured(socket);
    if (http2) connections.carriesSession(socket);
    else connections.carriesRequests(socket);
    serve(socket, http2);
  });
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
    parts.onHandshakeFailed?.();
    if (error.code === 'ERR_SSL_HTTP_REQUEST') connections.under(socket)?.write(SPOKE_HTTP);
    // else a port scan or a client that refuses our certificate: nothing was asked of us
  });
  const address = await listen(server, at, flag, parts);
  return {
    address,
    setCertificate: next => server.setSecureContext(contextOf(next)),
    close: () => close(server),
    force: () => connections.force(),
  };
}
