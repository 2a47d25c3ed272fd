// SPDX-License-Identifier: Apache-2.0
/**
 * Sockets. A plaintext port speaks HTTP/1.1 and HTTP/2 with prior knowledge (gRPC) side by side: the first bytes decide.
 * A TLS port negotiates by ALPN. Every connection is known, so that a drain can end the idle ones.
 */
import {createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http';
import {
  createServer as createHttp2Server,
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import {type AddressInfo, createServer as createNetServer, type Server as NetServer, type Socket} from 'node:net';
import {CommandError} from '../cli/io.ts';
import {formatAddress, type ListenAddress} from './addresses.ts';

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

const HTTP2_PREFACE = 'PRI * HTTP/2.0';
/** Streams that one HTTP/2 connection may have open: client-go multiplexes all its watches over one. */
const STREAMS_PER_CONNECTION_MAX = 1_000;

const listen = (server: NetServer, at: ListenAddress, flag: string): Promise<ListenAddress> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const where = formatAddress(at);
      const words: Record<string, string> = {
        EADDRINUSE: `--${flag} ${where}: the port is in use; stop the other program or choose another port (0 takes a free one)`,
        EACCES: `--${flag} ${where}: not permitted to listen there; choose a port above 1023`,
        EADDRNOTAVAIL: `--${flag} ${where}: this machine has no such address`,
      };
      reject(new CommandError(words[error.code ?? ''] ?? `--${flag} ${where}: ${error.message}`, {cause: error}));
    });
    server.listen(at.port, at.host, () => resolve({host: at.host, port: (server.address() as AddressInfo).port}));
  });

/** Drain state of one port: its open sockets and HTTP/2 sessions. */
class Connections {
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();

  add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  }

  session(session: ServerHttp2Session): void {
    this.#sessions.add(session);
    session.once('close', () => this.#sessions.delete(session));
  }

  goAway(): void {
    for (const session of this.#sessions) session.close();
  }

  force(): void {
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }
}

const closing = (server: NetServer, connections: Connections, h1: Server | undefined): Promise<void> =>
  new Promise(resolve => {
    server.close(() => resolve());
    connections.goAway();
    h1?.closeIdleConnections();
  });

/** HTTP/1.1 and HTTP/2 cleartext on one port. */
export async function listenPlain(at: ListenAddress, flag: string, handler: Handler): Promise<Listener> {
  const h1 = createHttpServer({keepAliveTimeout: 60_000, requestTimeout: 0}, handler);
  const h2 = createHttp2Server({settings: {maxConcurrentStreams: STREAMS_PER_CONNECTION_MAX}}, handler);
  const connections = new Connections();
  h2.on('session', session => connections.session(session));
  const server = createNetServer(socket => {
    connections.add(socket);
    socket.once('readable', () => {
      const head = socket.read() as Buffer | null;
      if (head === null) return void socket.destroy();
      socket.unshift(head);
      const preface = head.subarray(0, HTTP2_PREFACE.length).toString('latin1');
      (HTTP2_PREFACE.startsWith(preface) ? h2 : h1).emit('connection', socket);
    });
  });
  const address = await listen(server, at, flag);
  return {address, close: () => closing(server, connections, h1), force: () => connections.force()};
}

/** HTTPS, HTTP/2 and gRPC by ALPN; a client certificate is asked for, never demanded. */
export async function listenTls(
  at: ListenAddress,
  flag: string,
  pem: {cert: string; key: string},
  handler: Handler,
): Promise<Listener> {
  const server = createSecureServer(
    {
      allowHTTP1: true,
      cert: pem.cert,
      key: pem.key,
      requestCert: true,
      rejectUnauthorized: false,
      settings: {maxConcurrentStreams: STREAMS_PER_CONNECTION_MAX},
    },
    handler,
  );
  const connections = new Connections();
  server.on('session', session => connections.session(session));
  server.on('secureConnection', socket => connections.add(socket));
  server.on('tlsClientError', () => {}); // a port scan or a client that refuses our certificate: nothing was asked of us
  const address = await listen(server as unknown as NetServer, at, flag);
  return {
    address,
    close: () => closing(server as unknown as NetServer, connections, undefined),
    force: () => connections.force(),
  };
}
