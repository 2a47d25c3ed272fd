// SPDX-License-Identifier: Apache-2.0
/**
 * Watches over WebSocket on a server of node:http. Every other upgrade (h2c, a WebSocket that
 * is no watch) is left alone: the request is answered as if it had not asked.
 */
import {type IncomingMessage, ServerResponse} from 'node:http';
import type {Socket} from 'node:net';
import type {Duplex} from 'node:stream';
import {asksForWebSocket} from '../../request/handshake.ts';
import type {HttpRequest} from '../exchange.ts';

export type UpgradingServer = {
  on(event: 'upgrade', listener: (request: IncomingMessage, socket: Duplex, head: Buffer) => void): unknown;
};
export type PlainHandler = (request: IncomingMessage, response: ServerResponse) => unknown;

const mayBeWatched = (request: IncomingMessage): boolean =>
  request.method === 'GET' && /[/?&]watch\b/.test(request.url ?? '') && asksForWebSocket(request.headers);

/** The socket of the request speaks HTTP no longer: what the client sends comes to whoever reads it. */
export const isUpgraded = (request: HttpRequest): boolean => (request as {upgrade?: boolean | null}).upgrade === true;

/**
 * Hands requests for a watch over WebSocket to the handler; a refusal that it answers ends the connection. Where `isIdle` says no, the
 * request was sent before the answer to the one before it: it is answered as if it had not asked (RFC 9110 section 7.8 permits that),
 * because node:http takes no care of the answers under way on a socket that it upgrades.
 */
export const serveUpgrades = (
  server: UpgradingServer,
  handler: PlainHandler,
  isIdle: (socket: Socket) => boolean,
): void => {
  const shouldUpgradeCallback = (request: IncomingMessage): boolean => mayBeWatched(request) && isIdle(request.socket);
  Object.assign(server, {shouldUpgradeCallback});
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(request.socket);
    response.once('finish', () => request.socket.destroySoon());
    if (head.length > 0) socket.unshift(head);
    handler(request, response);
  });
};
