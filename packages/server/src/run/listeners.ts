// SPDX-License-Identifier: Apache-2.0
/**
 * Sockets. A plaintext port speaks HTTP/1.1 and HTTP/2 with prior knowledge (gRPC) side by side: the first bytes decide.
 * A TLS port negotiates by ALPN. Every connection is known, so that a drain can end the idle ones.
 */
import {createServer as createHttpServer, type IncomingMessage, type ServerResponse} from 'node:http';
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

export type TlsListener = Listener & {
  /** For connections from now on; those that are open keep theirs. */
  setCertificate(pem: {cert: string; key: string}): void;
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

/** Drain state of one port: its open sockets, HTTP/2 sessions, and how many HTTP/1.1 requests each socket has under way. */
class Connections {
  readonly #busy = new Map<Socket, number>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #raw = new Set<Socket>();
  #draining = false;

  /** A socket that may carry HTTP/1.1 requests: ended by a drain when nothing is under way on it. */
  add(socket: Socket): void {
    this.#busy.set(socket, 0);
    socket.once('close', () => this.#busy.delete(socket));
    socket.on('error', () => socket.destroy());
  }

  /** The socket belongs to an HTTP/2 session, which finishes its streams before it closes. */
  leaveToSession(socket: Socket): void {
    this.#busy.delete(socket);
  }

  /** A connection before its TLS handshake: only a forced end touches it. */
  addRaw(socket: Socket): void {
    this.#raw.add(socket);
    socket.once('close', () => this.#raw.delete(socket));
  }

  session(session: ServerHttp2Session): void {
    this.#sessions.add(session);
    session.once('close', () => this.#sessions.delete(session));
  }

  /** Wraps the handler: a keep-alive connection is ended by a drain as soon as nothing is under way on it. */
  counted(handler: Handler): Handler {
    return (request, response) => {
      if (request.httpVersionMajor !== 1) return handler(request, response);
      const {socket} = request;
      this.#busy.set(socket, (this.#busy.get(socket) ?? 0) + 1);
      response.once('close', () => {
        const left = (this.#busy.get(socket) ?? 1) - 1;
        if (this.#busy.has(socket)) this.#busy.set(socket, left);
        if (this.#draining && left === 0) socket.end();
      });
      return handler(request, response);
    };
  }

  drain(): void {
    this.#draining = true;
    for (const session of this.#sessions) session.close();
    for (const [socket, requests] of this.#busy) if (requests === 0) socket.end();
  }

  force(): void {
    for (const session of this.#sessions) session.destroy();
    for (const socket of [...this.#busy.keys(), ...this.#raw]) socket.destroy();
  }
}

const closing = (server: NetServer, connections: Connections): Promise<void> =>
  new Promise(resolve => {
    server.close(() => resolve());
    connections.drain();
  });

/** HTTP/1.1 and HTTP/2 cleartext on one port. */
export async function listenPlain(at: ListenAddress, flag: string, plain: Handler): Promise<Listener> {
  const connections = new Connections();
  const handler = connections.counted(plain);
  const h1 = createHttpServer({keepAliveTimeout: 60_000, requestTimeout: 0}, handler);
  const h2 = createHttp2Server({settings: {maxConcurrentStreams: STREAMS_PER_CONNECTION_MAX}}, handler);
  h2.on('session', session => connections.session(session));
  const server = createNetServer(socket => {
    connections.add(socket);
    socket.once('readable', () => {
      const head = socket.read() as Buffer | null;
      if (head === null) return void socket.destroy();
      socket.unshift(head);
      const preface = head.subarray(0, HTTP2_PREFACE.length).toString('latin1');
      const isHttp2 = HTTP2_PREFACE.startsWith(preface);
      if (isHttp2) connections.leaveToSession(socket);
      (isHttp2 ? h2 : h1).emit('connection', socket);
    });
  });
  const address = await listen(server, at, flag);
  return {address, close: () => closing(server, connections), force: () => connections.force()};
}

/** HTTPS, HTTP/2 and gRPC by ALPN; a client certificate is asked for, never demanded. */
export async function listenTls(
  at: ListenAddress,
  flag: string,
  pem: {cert: string; key: string},
  handler: Handler,
): Promise<TlsListener> {
  const connections = new Connections();
  const server = createSecureServer(
    {
      allowHTTP1: true,
      cert: pem.cert,
      key: pem.key,
      requestCert: true,
      rejectUnauthorized: false,
      settings: {maxConcurrentStreams: STREAMS_PER_CONNECTION_MAX},
    },
    connections.counted(handler),
  );
  server.on('session', session => connections.session(session));
  server.on('connection', socket => connections.addRaw(socket));
  server.on('secureConnection', socket => {
    if (socket.alpnProtocol !== 'h2') connections.add(socket);
  });
  server.on('tlsClientError', () => {}); // a port scan or a client that refuses our certificate: nothing was asked of us
  const address = await listen(server as unknown as NetServer, at, flag);
  return {
    address,
    setCertificate: ({cert, key}) => server.setSecureContext({cert, key}),
    close: () => closing(server as unknown as NetServer, connections),
    force: () => connections.force(),
  };
}
