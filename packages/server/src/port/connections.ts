// SPDX-License-Identifier: Apache-2.0
import type {ServerHttp2Session} from 'node:http2';
import type {Socket} from 'node:net';
import type {Timers} from '@palisade/apiserver';

export type ConnectionsParts = {
  readonly timers: Pick<Timers, 'after'>;
  /** HTTP/1.1 requests that a client may send ahead on one connection: one more ends it. */
  readonly requestsMax: number;
  /** How long the peer of an HTTP/2 session that was closed may take to end the connection. */
  readonly lingerMs: number;
};

type CountedRequest = {readonly httpVersionMajor: number; readonly socket: Socket};
type CountedResponse = {once(event: 'close', action: () => void): unknown};

/** The two ends of a connection: a socket under TLS and the TLS socket above it have the same. */
const endsOf = ({remoteAddress, remotePort, localAddress}: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`;

/**
 * Drain state of one port: its open sockets, HTTP/2 sessions, and how many HTTP/1.1 requests each socket has under way. What is
 * idle when a drain begins, or comes up idle after, ends at once; the rest as soon as it is idle.
 */
export class Connections {
  /** Every TCP connection. */
  readonly #open = new Set<Socket>();
  /** Those that began with a TLS handshake, and the TLS sockets of those whose handshake succeeded. */
  readonly #underTls = new Set<Socket>();
  readonly #secured = new Set<Socket>();
  readonly #busy = new Map<Socket, number>();
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
    this.#busy.set(socket, 0);
    socket.once('close', () => this.#busy.delete(socket));
    socket.on('error', () => socket.destroy());
    if (this.#draining) socket.destroySoon();
  }

  /** The socket belongs to an HTTP/2 session, which finishes its streams before it closes. */
  carriesSession(socket: Socket): void {
    this.#busy.delete(socket);
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

  /** Wraps the handler: a keep-alive connection is ended by a drain as soon as nothing is under way on it. */
  counted<Q extends CountedRequest, S extends CountedResponse>(handler: (q: Q, s: S) => void): (q: Q, s: S) => void {
    return (request, response) => {
      if (request.httpVersionMajor !== 1) return handler(request, response);
      const {socket} = request;
      if (this.#underWay(socket) >= this.#parts.requestsMax) return void socket.destroy();
      this.#busy.set(socket, this.#underWay(socket) + 1);
      response.once('close', () => this.#answered(socket));
      return handler(request, response);
    };
  }

  /** Calls `action` when no HTTP/1.1 request is under way on the connection, or never where it ends before. */
  whenIdle(socket: Socket, action: () => void): void {
    if (this.#underWay(socket) === 0) action();
    else this.#whenIdle.set(socket, action);
  }

  #underWay(socket: Socket): number {
    return this.#busy.get(socket) ?? 0;
  }

  #answered(socket: Socket): void {
    const left = this.#underWay(socket) - 1;
    if (!this.#busy.has(socket)) return;
    this.#busy.set(socket, left);
    if (left > 0) return;
    this.#whenIdle.get(socket)?.();
    if (this.#draining) socket.destroySoon();
  }

  drain(): void {
    this.#draining = true;
    for (const session of this.#sessions) session.close();
    for (const [socket, requests] of this.#busy) if (requests === 0) socket.destroySoon();
    for (const socket of [...this.#handshaking(), ...this.#ended]) socket.destroy();
  }

  /** What belongs together is looked for when it is asked for: each connection would pay for it otherwise. */
  #handshaking(): Socket[] {
    const secured = new Set([...this.#secured].map(endsOf));
    return [...this.#underTls].filter(socket => !secured.has(endsOf(socket)));
  }

  force(): void {
    for (const session of this.#sessions) session.destroy();
    for (const socket of [...this.#busy.keys(), ...this.#open]) socket.destroy();
  }
}
