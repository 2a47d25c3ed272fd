// SPDX-License-Identifier: Apache-2.0
/** A client of HTTP/1.1 that sends and sees every byte. */
import {subscribe, unsubscribe} from 'node:diagnostics_channel';
import {connect, type Socket} from 'node:net';
import {connect as connectTls} from 'node:tls';

export const HOST = '127.0.0.1';
export const VIAS = ['plain', 'TLS'] as const;
export type Via = (typeof VIAS)[number];

export type RawClient = {
  readonly socket: Socket;
  /** The server's side of the TCP connection. */
  readonly peer: Socket;
  /** One character a byte. */
  received(): string;
  /** Resolves when the server has read it and that turn of the event loop is over, or when the connection is gone. */
  send(bytes: string): Promise<void>;
  /** Cuts the connection. */
  reset(): void;
  /** Both sides ended the connection, or one cut it. */
  readonly closed: Promise<void>;
};

export const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** The server's side of the next connection from `localPort`. */
const peerOf = (client: Socket): Promise<Socket> =>
  new Promise(resolve => {
    const note = (message: unknown): void => {
      const {socket} = message as {socket: Socket};
      if (socket.remotePort !== client.localPort) return;
      unsubscribe('net.server.socket', note);
      resolve(socket);
    };
    subscribe('net.server.socket', note);
  });

/** Bytes that left, under TLS too. */
const wireBytes = (tcp: Socket): number =>
  (tcp as unknown as {_handle: {bytesWritten: number} | null})._handle?.bytesWritten ?? 0;

/** Connects to a server of this process. */
export const connectRaw = async (port: number, via: Via = 'plain'): Promise<RawClient> => {
  const tcp = connect({port, host: HOST, allowHalfOpen: true});
  const ofServer = peerOf(tcp);
  const socket =
    via === 'TLS' ? connectTls({socket: tcp, rejectUnauthorized: false, ALPNProtocols: ['http/1.1']}) : tcp;
  tcp.on('error', () => {});
  socket.on('error', () => {}); // a reset is a way to be closed
  const chunks: Buffer[] = [];
  socket.on('data', chunk => void chunks.push(chunk as Buffer));
  socket.once('end', () => socket.end());
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()));
  await new Promise(resolve => socket.once(via === 'TLS' ? 'secureConnect' : 'connect', resolve));
  const peer = await ofServer;
  return {
    socket,
    peer,
    received: () => Buffer.concat(chunks).toString('latin1'),
    send: async bytes => {
      await new Promise<void>(resolve => socket.write(bytes, 'latin1', () => resolve()));
      while (!peer.destroyed && peer.bytesRead < wireBytes(tcp)) await nextTurn();
      await nextTurn();
    },
    reset: () => void tcp.resetAndDestroy(),
    closed,
  };
};
