// SPDX-License-Identifier: Apache-2.0
/**
 * Syslog over UDP: a message is a datagram. The socket is connected, so that a host that says "port unreachable" fails the next
 * attempt; nothing else tells whether a datagram arrived. Ref: RFC 5426.
 */
import {createSocket, type Socket} from 'node:dgram';
import {lookup} from 'node:dns/promises';
import {ExportError} from '../exporter.ts';
import type {Transport} from './transport.ts';

export const openUdp = (host: string, port: number): Transport => {
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
    socket.connect(port, address, resolve);
    await promise;
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
        for (const message of messages) {
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
