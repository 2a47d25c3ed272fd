// SPDX-License-Identifier: Apache-2.0
/** Real HTTP requests to a server that the user names, each on a connection of its own. */
import {connect, type Socket} from 'node:net';
import {CommandError} from '../command-line/io.ts';

/** Of one request and its answer. */
const EXCHANGE_MS_MAX = 10_000;

/** The own end of a connection. */
export type OwnEnd = {readonly client: string; readonly clientPort: number};
/** Of the first connection. */
export type Exchange = OwnEnd & {
  /** Bytes of all answers. */
  readonly answered: number;
};

/** An IPv4 address in an IPv6 socket is the IPv4 address. */
const plain = (address = ''): string => address.replace(/^::ffff:(?=\d+\.)/, '');

const connectFault = ({code, message}: NodeJS.ErrnoException): string =>
  code === 'ECONNREFUSED'
    ? 'no server listens at this address and port; give an HTTP server whose traffic is mirrored'
    : code === 'ENETUNREACH' || code === 'EHOSTUNREACH'
      ? `there is no way to it (${message}); check the address, and the route with ip route get`
      : message;

const opened = (host: string, port: number): Promise<Socket> =>
  new Promise((done, fail) => {
    const socket = connect({host, port});
    socket.setTimeout(EXCHANGE_MS_MAX, () => socket.destroy(new Error(`no answer within ${EXCHANGE_MS_MAX / 1000} s`)));
    socket.once('error', error =>
      fail(new CommandError(`--to ${host}:${port}: ${connectFault(error)}`, {cause: error})),
    );
    socket.once('connect', () => done(socket));
  });

/** Resolves to the bytes of the answer: one cut short is an answer. */
const ask = (socket: Socket, request: string): Promise<number> =>
  new Promise(done => {
    let answered = 0;
    socket.on('error', () => {});
    socket.on('data', chunk => {
      answered += chunk.length;
    });
    socket.once('close', () => done(answered));
    socket.write(request, 'latin1');
  });

/** `begin` is called with the first connection's own end before anything is sent. Rejects with CommandError. */
export const exchange = async (
  host: string,
  port: number,
  requests: readonly string[],
  begin: (own: OwnEnd) => Promise<void>,
): Promise<Exchange> => {
  let first: OwnEnd | undefined;
  let answered = 0;
  for (const request of requests) {
    const socket = await opened(host, port);
    if (first === undefined) {
      first = {client: plain(socket.localAddress), clientPort: socket.localPort ?? 0};
      await begin(first);
    }
    answered += await ask(socket, request);
  }
  return {...(first ?? {client: '', clientPort: 0}), answered};
};
