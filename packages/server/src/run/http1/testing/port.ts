// SPDX-License-Identifier: Apache-2.0
/** A port whose requests are answered by a test, its time, and clients that see every byte. */
import {subscribe, unsubscribe} from 'node:diagnostics_channel';
import {connect, type Socket} from 'node:net';
import {connect as connectTls} from 'node:tls';
import {systemTimers, type Timer, type Timers, type WholeRequest, type WholeResponse} from '@palisade/apiserver';
import {ManualTime} from '@palisade/ids/testing';
import {
  type AnyRequest,
  type AnyResponse,
  type Listener,
  type ListenerLimits,
  listenPlain,
  listenTls,
} from '../../listeners.ts';
import {makeCertificate} from '../../testing/certificate.ts';

export const HOST = '127.0.0.1';
export const VIAS = ['plain', 'TLS'] as const;
export type Via = (typeof VIAS)[number];

/** Told apart by their length. */
export const LIMITS = {headersMs: 11_000, requestMs: 22_000, keepAliveMs: 33_000, checkMs: 1_000};

/** `via` tells who read it. */
export type Asked = {
  readonly via: 'whole' | 'node';
  readonly method: string;
  readonly url: string;
  readonly body: Buffer;
};
/** Gets every request with its body. */
export type Answer = (asked: Asked, response: WholeResponse) => void;

export type Port = {
  readonly listener: Listener;
  readonly time: ManualTime;
  /** `via method url bodyBytes`, in order. */
  readonly asked: string[];
  connect(): Promise<Client>;
};

export type Client = {
  readonly socket: Socket;
  /** The server's side of the TCP connection. */
  readonly peer: Socket;
  /** One character a byte. */
  received(): string;
  /** Resolves when the server has read it and that turn of the event loop is over, or when it is gone. */
  send(bytes: string | Buffer): Promise<void>;
  /** The same for the last bytes, with which the client ends its side. */
  sendLast(bytes: string | Buffer): Promise<void>;
  /** Cuts the connection. */
  reset(): void;
  /** The connection is gone: both sides ended it, or one cut it. */
  readonly closed: Promise<void>;
};

export type PortOptions = {
  readonly via?: Via;
  readonly limits?: Partial<ListenerLimits>;
  /** False: everything is for node:http. */
  readonly wholes?: boolean;
  /** Turns of the event loop, at whose ends requests are begun; those that there are otherwise. */
  readonly turns?: HeldTurns;
};

/** Turns that end when a test says so. */
export class HeldTurns implements Pick<Timers, 'soon'> {
  #tasks: (() => void)[] = [];

  readonly soon = (task: () => void): Timer => {
    this.#tasks.push(task);
    return {
      cancel: () => {
        this.#tasks = this.#tasks.filter(other => other !== task);
      },
    };
  };

  /** Whether anything waits for the end of the turn. */
  get isAwaited(): boolean {
    return this.#tasks.length > 0;
  }

  end(): void {
    for (const task of this.#tasks.splice(0)) task();
  }
}

/** Ends what a test opened. */
export const opened: (() => void | Promise<void>)[] = [];
export const closePorts = async (): Promise<void> => {
  for (const close of opened.splice(0).reverse()) await close();
};

let certificate: Promise<{cert: string; key: string}> | undefined;

/** Requests to `/node` are never read whole. */
const takes = ({url}: {readonly url: string}): boolean => url !== '/node';

export const openPort = async (answer: Answer, options: PortOptions = {}): Promise<Port> => {
  const {via = 'plain', limits = {}, wholes = true, turns} = options;
  const [time, asked] = [new ManualTime(0), [] as string[]];
  const told = (one: Asked, response: WholeResponse): void => {
    asked.push(`${one.via} ${one.method} ${one.url} ${one.body.length}`);
    answer(one, response);
  };
  const handler = (request: AnyRequest, response: AnyResponse): void => {
    const {method = '', url = ''} = request;
    const chunks: Buffer[] = [];
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.once('end', () =>
      told({via: 'node', method, url, body: Buffer.concat(chunks)}, response as unknown as WholeResponse),
    );
  };
  const whole = ({method, url, whole: body}: WholeRequest, response: WholeResponse): void =>
    told({via: 'whole', method, url, body}, response);
  const parts = {
    timers: {
      after: (delayMs: number, action: () => void) => time.after(delayMs, action),
      soon: (turns ?? systemTimers).soon,
    },
    monotonicNow: () => time.now(),
    limits: {...LIMITS, ...limits},
    wholes: wholes ? {takes, handler: whole} : undefined,
  };
  const at = {host: HOST, port: 0};
  certificate ??= via === 'TLS' ? makeCertificate(HOST) : undefined;
  const listener =
    via === 'TLS' && certificate !== undefined
      ? await listenTls(at, 'https', await certificate, handler, parts)
      : await listenPlain(at, 'http', handler, parts);
  opened.push(() => {
    const closed = listener.close();
    listener.force();
    return closed;
  });
  return {listener, time, asked, connect: () => connectTo(listener.address.port, via)};
};

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

export const connectTo = async (port: number, via: Via): Promise<Client> => {
  const tcp = connect({port, host: HOST, allowHalfOpen: true});
  const peer = peerOf(tcp);
  const socket =
    via === 'TLS' ? connectTls({socket: tcp, rejectUnauthorized: false, ALPNProtocols: ['http/1.1']}) : tcp;
  opened.push(() => void socket.destroy());
  tcp.on('error', () => {});
  socket.on('error', () => {}); // a reset is a way to be closed
  const chunks: Buffer[] = [];
  socket.on('data', chunk => void chunks.push(chunk as Buffer));
  socket.once('end', () => socket.end());
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()));
  await new Promise(resolve => socket.once(via === 'TLS' ? 'secureConnect' : 'connect', resolve));
  const its = await peer;
  const untilRead = async (): Promise<void> => {
    while (!its.destroyed && its.bytesRead < wireBytes(tcp)) await nextTurn();
    await nextTurn();
  };
  return {
    socket,
    peer: its,
    received: () => Buffer.concat(chunks).toString('latin1'),
    send: async bytes => {
      await new Promise<void>(resolve => socket.write(bytes, 'latin1', () => resolve()));
      await untilRead();
    },
    sendLast: async bytes => {
      await new Promise<void>(resolve => socket.end(bytes, 'latin1', () => resolve()));
      await untilRead();
    },
    reset: () => void tcp.resetAndDestroy(),
    closed,
  };
};

/** Bytes that left, under TLS too. */
const wireBytes = (tcp: Socket): number =>
  (tcp as unknown as {_handle: {bytesWritten: number} | null})._handle?.bytesWritten ?? 0;

export const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
/** An answer without what time made of it. */
export const withoutDate = (answer: string): string => answer.replace(/\r\nDate: [^\r]*/g, '');
