// SPDX-License-Identifier: Apache-2.0
import type {ServerHttp2Session} from 'node:http2';
import type {Socket} from 'node:net';
import type {Handler} from './listeners.ts';

/** Drain state of one port: its open sockets, HTTP/2 sessions, and how many HTTP/1.1 requests each socket has under way. */
export class Connections {
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
