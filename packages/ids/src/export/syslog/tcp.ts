// SPDX-License-Identifier: Apache-2.0
/**
 * Syslog over TCP and TLS, framed by octet counting. The protocol has no acknowledgement, so at least once is made of TCP's own signs:
 *
 *   confirm=close  a connection for each batch: the messages, our FIN, and then the receiver's FIN, which it sends when it has read to the
 *                  end. A receiver that is killed with unread bytes sends a reset instead, and everything is sent again.
 *   confirm=write  one connection: a batch counts as received when its bytes are with the operating system. The last batch is kept, and
 *                  sent again first after the connection broke. What a receiver had not yet read of batches before that one is lost.
 *
 * I1 (close): a FIN that comes before ours is no sign: a receiver that turns a sender away closes at once.
 * Ref: RFC 6587, section 3.4.1; RFC 5425, section 4.3.
 */
import {connect as connectTcp, isIP, type Socket} from 'node:net';
import {connect as connectTls} from 'node:tls';
import {EXPORT_CONFIRM_MS, EXPORT_CONNECT_MS} from '../../limits.ts';
import {type Clock, delay, type Timers} from '../../system.ts';
import {ExportError} from '../exporter.ts';
import type {Transport} from './transport.ts';

export type TlsFiles = {
  /** Undefined: the certificates that Node trusts. */
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  /** Undefined: the host. */
  readonly serverName: string | undefined;
};

export type TcpOptions = {
  readonly host: string;
  readonly port: number;
  /** Undefined: without TLS. */
  readonly tls: TlsFiles | undefined;
  readonly confirm: 'close' | 'write';
  readonly clock: Clock;
  readonly timers: Timers;
};

const unavailable = (error: unknown): ExportError =>
  error instanceof ExportError
    ? error
    : new ExportError('unavailable', (error as Error).message || String((error as {code?: unknown}).code), {
        cause: error,
      });

/** So that a receiver that is gone without a word is noticed. */
const KEEP_ALIVE_MS = 30_000;

/** RFC 6587, section 3.4.1: `MSG-LEN SP SYSLOG-MSG`. */
const framed = (messages: readonly Buffer[]): Buffer =>
  Buffer.concat(messages.flatMap(message => [Buffer.from(`${message.length} `), message]));

type Connection = {
  readonly socket: Socket;
  /** Resolves at a FIN of the receiver; rejects when the connection ends in any other way. */
  readonly ended: Promise<void>;
};

/** The socket breaks when `signal` aborts, until the returned function is called. */
const breakAt = (signal: AbortSignal, socket: Socket): (() => void) => {
  const onAbort = (): void => {
    socket.destroy(signal.reason instanceof Error ? signal.reason : undefined);
  };
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, {once: true});
  return () => signal.removeEventListener('abort', onAbort);
};

const connect = async ({host, port, tls, timers}: TcpOptions, signal: AbortSignal): Promise<Connection> => {
  const socket = tls === undefined ? connectTcp({host, port}) : connectTls(tlsOptions(host, port, tls));
  const ended = new Promise<void>((resolve, reject) => {
    socket.once('end', resolve);
    socket.on('error', reject); // on: a second one must not end the process
    socket.once('close', () => reject(new Error('the connection was closed')));
  });
  ended.catch(() => undefined); // looked at by those who wait for it
  const limit = timers.after(EXPORT_CONNECT_MS, () => {
    socket.destroy(new Error(`no connection within ${EXPORT_CONNECT_MS / 1_000} s`));
  });
  const release = breakAt(signal, socket);
  try {
    const connected = new Promise<void>(resolve => {
      socket.once(tls === undefined ? 'connect' : 'secureConnect', resolve);
    });
    await Promise.race([connected, ended.then(closedEarly)]);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.resume(); // receivers send nothing, but their FIN is read
    return {socket, ended};
  } catch (error) {
    socket.destroy();
    throw unavailable(error);
  } finally {
    limit.cancel();
    release();
  }
};

const tlsOptions = (host: string, port: number, {ca, cert, key, serverName}: TlsFiles) => ({
  host,
  port,
  minVersion: 'TLSv1.2' as const,
  rejectUnauthorized: true, // whatever NODE_TLS_REJECT_UNAUTHORIZED says
  ...(ca === undefined ? {} : {ca}),
  ...(cert === undefined || key === undefined ? {} : {cert, key}),
  ...servername(serverName ?? host),
});

/** SNI. An address is checked as one, and goes into none. */
const servername = (name: string) => (isIP(name) === 0 ? {servername: name} : {});

const closedEarly = (): never => {
  throw new ExportError('unavailable', 'the receiver closed the connection before it had all messages');
};

const write = async ({socket, ended}: Connection, bytes: Buffer): Promise<void> => {
  const written = new Promise<void>((resolve, reject) => {
    socket.write(bytes, error => (error === null || error === undefined ? resolve() : reject(error)));
  });
  await Promise.race([written, ended.then(closedEarly)]);
};

/** False: `delayMs` are over before `promise` settles. */
const within = async (promise: Promise<unknown>, delayMs: number, timers: Timers): Promise<boolean> => {
  const done = new AbortController();
  try {
    return await Promise.race([promise.then(() => true), delay(timers, delayMs, done.signal).then(() => false)]);
  } finally {
    done.abort();
  }
};

/** A connection for each batch. */
const openClosing = (options: TcpOptions): Transport => ({
  close: async () => undefined,
  send: async (messages, signal) => {
    const {clock, timers} = options;
    const startMs = clock.now();
    const connection = await connect(options, signal);
    const {socket, ended} = connection;
    const release = breakAt(signal, socket);
    try {
      await write(connection, framed(messages));
      // I1: the FIN of a receiver that turned us away is on its way for one round trip at most. TLS: it has taken part already.
      const roundTripMs = Math.max(clock.now() - startMs, 1);
      if (options.tls === undefined && (await within(ended, 2 * roundTripMs, timers))) closedEarly();
      if (socket.readableEnded) closedEarly();
      socket.end();
      if (!(await within(ended, EXPORT_CONFIRM_MS, timers))) throw new ExportError('unavailable', NO_FIN);
    } catch (error) {
      throw unavailable(error);
    } finally {
      release();
      socket.destroy();
    }
  },
});

const NO_FIN =
  `the receiver did not close the connection within ${EXPORT_CONFIRM_MS / 1_000} s after the last message; ` +
  'if it never does, set confirm=write in the URL';

/** One connection. */
const openLasting = (options: TcpOptions): Transport => {
  let open: Connection | undefined;
  let last: readonly Buffer[] = [];
  const isLive = ({socket}: Connection): boolean => !socket.destroyed && !socket.readableEnded;
  const drop = (): void => {
    open?.socket.destroy();
    open = undefined;
  };
  return {
    close: async () => {
      if (open === undefined) return;
      open.socket.end();
      await within(
        open.ended.catch(() => undefined),
        EXPORT_CONFIRM_MS,
        options.timers,
      );
      drop();
    },
    send: async (messages, signal) => {
      if (open !== undefined && !isLive(open)) drop();
      const again = open === undefined ? last : [];
      open ??= await connect(options, signal);
      const release = breakAt(signal, open.socket);
      try {
        await write(open, framed([...again, ...messages]));
        last = messages;
      } catch (error) {
        drop();
        throw unavailable(error);
      } finally {
        release();
      }
    },
  };
};

export const openTcp = (options: TcpOptions): Transport =>
  options.confirm === 'close' ? openClosing(options) : openLasting(options);
