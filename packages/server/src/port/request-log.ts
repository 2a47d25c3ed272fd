// SPDX-License-Identifier: Apache-2.0
/**
 * With `--log-level debug` each request that reaches one of the APIs is a line when its answer has ended, a watch's too:
 * kube-apiserver's log with `-v 3`.
 * Ref: kubernetes v1.36 apiserver/pkg/server/httplog/httplog.go. Without it nothing is done for a request.
 */
import {truncated, withoutCredentials} from '@palisade/apiserver';
import type {Logger} from '../process/logger.ts';

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
  return (request, response) => {
    if (!log.isLevelEnabled('debug')) return handler(request, response); // the level may change
    const startMs = clock.now();
    const agent = request.headers['user-agent'];
    const fields = {
      method: request.method,
      url: truncated(withoutCredentials(request.url ?? '')), // the router may cut it down to its path
      from: request.socket.remoteAddress,
      userAgent: agent && truncated(agent),
    };
    response.once('close', () => {
      const code = response.headersSent ? response.statusCode : undefined; // the client had gone before the answer, or it went over a WebSocket
      log.debug({...fields, code, ms: Math.round(clock.now() - startMs)}, 'request');
    });
    handler(request, response);
  };
};
