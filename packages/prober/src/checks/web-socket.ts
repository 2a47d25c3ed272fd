// SPDX-License-Identifier: Apache-2.0
/** The opening handshake of WebSocket (RFC 6455), then the closing one, so that the peer sees no broken connection. */
import {type Dispatcher, WebSocket} from 'undici';
import {CLOSING_MS_MAX} from '../limits.ts';
import type {CheckTarget, WebSocketMethod} from '../port.ts';
import type {Attempt} from './attempt.ts';
import {openClient, originOf, sentHeaders, sentPath} from './http-client.ts';
import type {CheckPorts} from './open-socket.ts';

const CONNECTION = {protocols: ['http/1.1'], isPriorKnowledge: false, waitsFor: 'waiting for the answer'} as const;

/** Does what `handler` does, and tells the status of the answer and errors, which WebSocket keeps to itself. */
const watched = (handler: Dispatcher.DispatchHandler, attempt: Attempt): Dispatcher.DispatchHandler => ({
  onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
  onRequestUpgrade: (controller, status, headers, socket) => {
    attempt.closeWith(() => socket.destroy()); // the client has let go of it
    if (headers['sec-websocket-extensions'] !== undefined)
      attempt.fail('the peer uses an extension of WebSocket that was not offered');
    return handler.onRequestUpgrade?.(controller, status, headers, socket);
  },
  onResponseStart: (controller, status, headers, message) => {
    if (status >= 200) attempt.fail(`status ${status} instead of 101`);
    return handler.onResponseStart?.(controller, status, headers, message);
  },
  onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
  onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
  onResponseError: (controller, error) => {
    attempt.failBy(error);
    return handler.onResponseError?.(controller, error);
  },
});

/** Without the offer to compress that WebSocket makes: the peer is not trusted, and what it compressed could become anything. */
const withoutExtensions = (headers: Dispatcher.DispatchOptions['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries((headers ?? {}) as Readonly<Record<string, string>>).filter(
      ([name]) => name.toLowerCase() !== 'sec-websocket-extensions',
    ),
  );

export const checkWebSocket = (
  attempt: Attempt,
  target: CheckTarget,
  method: WebSocketMethod,
  ports: CheckPorts,
): void => {
  const client = openClient(attempt, target, method, ports, CONNECTION);
  const dispatcher = client.compose(
    dispatch => (options, handler) =>
      dispatch({...options, headers: withoutExtensions(options.headers), headersTimeout: 0}, watched(handler, attempt)),
  );
  const {host, hostname} = new URL(originOf(target, method));
  const given = sentHeaders(method);
  const headers = given.some(([name]) => name === 'host') ? given : [['host', host] as const, ...given];
  let socket: WebSocket;
  try {
    // Not the port of the peer, which plays no part here: a client of the web refuses some that a member may well have.
    socket = new WebSocket(`ws://${hostname}${sentPath(method.path)}`, {
      dispatcher,
      headers: headers.map(([name, value]): [string, string] => [name, value]),
    });
  } catch (error) {
    attempt.fail(`the request cannot be sent: ${error instanceof Error ? error.message : String(error)}`);
    return;
  }
  attempt.partWith(done => {
    socket.addEventListener('close', done);
    socket.close();
    ports.timers.after(CLOSING_MS_MAX, done);
  });
  socket.addEventListener('open', () => attempt.pass());
  socket.addEventListener('error', () => attempt.fail('the answer is not a valid handshake of WebSocket'));
  socket.addEventListener('close', () => attempt.fail('connection closed by the peer during the handshake'));
};
