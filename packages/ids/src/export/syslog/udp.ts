// SPDX-License-Identifier: Apache-2.0
/**
 * Syslog over UDP: a message is a datagram. The socket is connected, so that a host that says "port unreachable" fails the next
 * attempt; nothing else tells whether a datagram arrived. Ref: RFC 5426.
 */
import {createSocket, type Socket} from 'node:dgram';
import {lookup} from 'node:dns/promises';
import {delay, type Timers} from '../../system.ts';
import {ExportError} from '../exporter.ts';
import type {Transport} from './transport.ts';

/** Datagrams at a time, and the pause after them: a receiver that parses more slowly than we send has little room to queue them. */
const BURST = 20;
const PAUSE_MS = 5;

export const openUdp = (host: string, port: number, timers: Timers): Transport => {
  let open: Socket | undefined;
  let failed: Error | undefined;

  const connect = async (): Promise<Socket> => {
    const {address, family} = await lookup(host);
    const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
    socket.on('error', error => {
      failed = error;
    });
    const {promise, resolve, reject} = Promise.withResolvers<void>();
    socket.once('error', reject);
    // Its errors come to the callback too.
    socket.connect(port, address, (error?: Error) => (error === undefined ? resolve() : reject(error)));
    try {
      await promise;
    } catch (error) {
      socket.close();
      throw error;
    }
    socket.off('error', reject);
    socket.unref();
    return socket;
  };

  const close = async (): Promise<void> => {
    const socket = open;
    open = undefined;
    failed = undefined;
    if (socket === undefined) return;
    const {promise, resolve} = Promise.withResolvers<void>();
    socket.close(resolve);
    await promise;
  };

  return {
    close,
    send: async (messages, signal) => {
      try {
        open ??= await connect();
        const socket = open;
        for (const [at, message] of messages.entries()) {
          if (at > 0 && at % BURST === 0) await delay(timers, PAUSE_MS, signal);
          signal.throwIfAborted();
          const {promise, resolve, reject} = Promise.withResolvers<void>();
          socket.send(message, error => (error === null || error === undefined ? resolve() : reject(error)));
          await promise;
          if (failed !== undefined) throw failed;
        }
        // The host's answer to the last datagram, if there is one, is read before this.
        await new Promise<void>(resolve => setImmediate(resolve));
        if (failed !== undefined) throw failed;
      } catch (error) {
        await close();
        throw new ExportError('unavailable', (error as Error).message, {cause: error});
      }
    },
  };
};
