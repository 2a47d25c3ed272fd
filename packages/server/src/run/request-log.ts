// SPDX-License-Identifier: Apache-2.0
/**
 * With `--log-level debug` each request is a line when its answer has ended, a watch's too: kube-apiserver's log with `-v 3`.
 * Ref: kubernetes v1.36 apiserver/pkg/server/httplog/httplog.go. Without it nothing is done for a request.
 */
import type {Logger} from './logger.ts';

/** What is kept of a text that a client sends. */
const SAID_CHARACTERS_MAX = 1_000;

type LoggedRequest = {
  readonly url?: string | undefined;
  readonly method?: string | undefined;
  readonly headers: {readonly 'user-agent'?: string | undefined};
  readonly socket: {readonly remoteAddress?: string | undefined};
};
type LoggedResponse = {
  readonly statusCode: number;
  readonly headersSent: boolean;
  once(event: 'close', action: () => void): unknown;
};

/** `clock`: milliseconds, never set back. */
export const withRequestLog = <Q extends LoggedRequest, S extends LoggedResponse>(
  log: Pick<Logger, 'debug' | 'isLevelEnabled'>,
  clock: {now(): number},
  handler: (request: Q, response: S) => void,
): ((request: Q, response: S) => void) => {
  if (!log.isLevelEnabled('debug')) return handler;
  return (request, response) => {
    const startMs = clock.now();
    const fields = {
      method: request.method,
      url: request.url?.slice(0, SAID_CHARACTERS_MAX), // the router may cut it down to its path
      from: request.socket.remoteAddress,
      userAgent: request.headers['user-agent']?.slice(0, SAID_CHARACTERS_MAX),
    };
    response.once('close', () => {
      const code = response.headersSent ? response.statusCode : undefined; // the client had gone before the answer
      log.debug({...fields, code, ms: Math.round(clock.now() - startMs)}, 'request');
    });
    handler(request, response);
  };
};
