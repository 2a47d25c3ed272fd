// SPDX-License-Identifier: Apache-2.0
import type {ServerHttp2Session} from 'node:http2';
import type {Socket} from 'node:net';
import type {Timers} from '@palisade/apiserver';

export type ConnectionsParts = {
  readonly timers: Pick<Timers, 'after'>;
  /** HTTP/1.1 requests that a client may send ahead on one connection: one more ends it. */
  readonly requestsMax: number;
  /** Bytes of the heads of those that wait: more ends the connection. */
  readonly aheadBytesMax: number;
  /** How long the peer of an HTTP/2 session that was closed may take to end the connection. */
  readonly lingerMs: number;
};

type CountedRequest = {
  readonly httpVersionMajor: number;
  readonly socket: Socket;
  readonly url?: string | undefined;
  readonly rawHeaders: readonly string[];
};
type CountedResponse = {
  /** False: the answer says `Connection: close`, and the connection ends after it. */
  shouldKeepAlive?: boolean;
  once(event: 'close', action: () => void): unknown;
  emit(event: 'drain'): unknown;
};

/** An HTTP/1.1 request of a connection. */
type Turn = {readonly response: CountedResponse; readonly headBytes: number; begin(): void};

const headBytesOf = ({url = '', rawHeaders}: CountedRequest): number =>
  rawHeaders.reduce((bytes, text) => bytes + text.length, url.length);

/** The two ends of a connection: a socket under TLS and the TLS socket above it have the same. */
const endsOf = ({remoteAddress, remotePort, localAddress}: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`;

/**
 * Reads no further while a client does not read its answers. Only while bytes wait for it: their sending fails when it is gone, but a
 * socket that nobody reads and nobody writes would not show that.
 */
const waitForReader = (socket: Socket): void => {
  if (!socket.writable || socket.writableLength === 0 || socket.isPaused()) return;
  socket.pause();
  socket.write('', () => socket.resume());
};

/**
 * Drain state of one port: its open sockets, HTTP/2 sessions, and the HTTP/1.1 requests of each socket. What is idle when a drain
 * begins, or comes up idle after, ends at once; the rest as soon as it is idle.
 */
export class Connections {
  /** Every TCP connection. */
  readonly #open = new Set<Socket>();
  /** Those that began with a TLS handshake, and the TLS sockets of those whose handshake succeeded. */
  readonly #underTls = new Set<Socket>();
  readonly #secured = new Set<Socket>();
  /** HTTP/1.1 requests that have no whole answer, in their order: the first is under way, the others wait for it. */
  readonly #turns = new Map<Socket, Turn[]>();
  /** What follows the answers that are under way on a connection. */
  readonly #whenIdle = new WeakMap<Socket, () => void>();
  readonly #sessions = new Set<ServerHttp2Session>();
  /** Those on which an HTTP/2 session said its last word. */
  readonly #ended = new Set<Socket>();
  readonly #parts: ConnectionsParts;
  #draining = false;

  constructor(parts: ConnectionsParts) {
    this.#parts = parts;
  }

  /** A connection without TLS, on which HTTP/1.1 requests may come. */
  openedPlain(socket: Socket): void {
    this.#track(socket);
    this.carriesRequests(socket);
  }

  /** A connection whose TLS handshake begins. */
  openedTls(socket: Socket): void {
    this.#track(socket);
    this.#underTls.add(socket);
    socket.once('close', () => this.#underTls.delete(socket));
    if (this.#draining) socket.destroy();
  }

  /** The TLS socket of a handshake that succeeded. */
  secured(socket: Socket): void {
    this.#secured.add(socket);
    socket.once('close', () => this.#secured.delete(socket));
  }

  /** The socket that the bytes of a TLS socket come from, while both ends are there. */
  under(secure: Socket): Socket | undefined {
    const {remotePort} = secure;
    if (remotePort === undefined) return undefined;
    for (const socket of this.#underTls)
      if (socket.remotePort === remotePort && endsOf(socket) === endsOf(secure)) return socket;
    return undefined;
  }

  /** HTTP/1.1 requests may come on this socket: a drain ends it when none is under way. */
  carriesRequests(socket: Socket): void {
    this.#turns.set(socket, []);
    socket.once('close', () => this.#turns.delete(socket));
    socket.on('error', () => socket.destroy());
    if (this.#draining) socket.destroySoon();
  }

  /** The socket belongs to an HTTP/2 session, which finishes its streams before it closes. */
  carriesSession(socket: Socket): void {
    this.#turns.delete(socket);
    socket.once('finish', () => {
      if (this.#draining) socket.destroy();
      const timer = this.#parts.timers.after(this.#parts.lingerMs, () => socket.destroy());
      this.#ended.add(socket);
      socket.once('close', () => {
        timer.cancel();
        this.#ended.delete(socket);
      });
    });
  }

  session(session: ServerHttp2Session): void {
    this.#sessions.add(session);
    session.once('close', () => this.#sessions.delete(session));
    if (this.#draining) session.close();
  }

  #track(socket: Socket): void {
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
  }

  /**
   * Wraps the handler: HTTP/1.1 requests of one connection begin one after the other, each when the answer before it is sent. Those
   * that wait are forgotten with their connection, which a drain ends as soon as nothing is under way on it. A request that comes
   * while its connection ends is not begun: its writes would be made, and its answer could not be sent.
   * Ref: Go, net/http/server.go, `conn.serve`.
   */
  counted<Q extends CountedRequest, S extends CountedResponse>(handler: (q: Q, s: S) => void): (q: Q, s: S) => void {
    return (request, response) => {
      if (request.httpVersionMajor !== 1) return handler(request, response);
      const {socket} = request;
      const turns = this.#turns.get(socket);
      if (turns === undefined || turns.length >= this.#parts.requestsMax) return void socket.destroy();
      if (!socket.writable) return;
      const headBytes = headBytesOf(request);
      const waitingBytes = turns.reduce((bytes, turn) => bytes + turn.headBytes, 0);
      if (turns.length > 0 && waitingBytes + headBytes > this.#parts.aheadBytesMax) return void socket.destroy();
      const begin = (): void => {
        response.once('close', () => this.#answered(socket));
        if (this.#draining && turns.at(-1) === turn) response.shouldKeepAlive = false;
        handler(request, response);
      };
      const turn = {response, headBytes, begin};
      turns.push(turn);
      if (turns.length === 1) begin();
      else waitForReader(socket);
    };
  }

  /** No HTTP/1.1 request is under way on the connection. */
  isIdle(socket: Socket): boolean {
    return (this.#turns.get(socket)?.length ?? 0) === 0;
  }

  /** Calls `action` when no HTTP/1.1 request is under way on the connection, or never where it ends before. */
  whenIdle(socket: Socket, action: () => void): void {
    if (this.isIdle(socket)) action();
    else this.#whenIdle.set(socket, action);
  }

  /** For a socket that node:http no longer looks after: answers under way are sent on, and the end of the connection is noticed. */
  lookAfter(socket: Socket): void {
    socket.on('drain', () => this.#turns.get(socket)?.[0]?.response.emit('drain'));
    socket.resume();
  }

  #answered(socket: Socket): void {
    const turns = this.#turns.get(socket);
    if (turns === undefined) return; // the connection ended
    turns.shift();
    const [next] = turns;
    if (next !== undefined) {
      if (socket.writable) next.begin(); // else that was the last answer of the connection
      return;
    }
    this.#whenIdle.get(socket)?.();
    if (this.#draining) socket.destroySoon();
  }

  drain(): void {
    this.#draining = true;
    for (const session of this.#sessions) session.close();
    for (const [socket, turns] of this.#turns) {
      const last = turns.at(-1);
      if (last === undefined) socket.destroySoon();
      else last.response.shouldKeepAlive = false;
    }
    for (const socket of [...this.#handshaking(), ...this.#ended]) socket.destroy();
  }

  /** What belongs together is looked for when it is asked for: each connection would pay for it otherwise. */
  #handshaking(): Socket[] {
    const secured = new Set([...this.#secured].map(endsOf));
    return [...this.#underTls].filter(socket => !secured.has(endsOf(socket)));
  }

  force(): void {
    for (const session of this.#sessions) session.destroy();
    for (const socket of [...this.#turns.keys(), ...this.#open]) socket.destroy();
  }
}
