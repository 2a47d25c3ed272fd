// SPDX-License-Identifier: Apache-2.0
/**
 * Holds the requests that come while the server starts: the first port is open while the certificate of another one is made, and what
 * a request needs (the address in tokens, the authorities of client certificates) is not known yet.
 */
import {isGone} from '@palisade/apiserver';
import {answerText} from './answer-text.ts';
import {apiOf, ERROR_TYPE, errorBody} from './api-errors.ts';
import type {AnyRequest, AnyResponse, Handler} from './listeners.ts';

/** Requests that wait for the start; one more is refused. */
export const HELD_MAX = 10_000;

const refuse = (request: AnyRequest, response: AnyResponse, message: string): void => {
  const fault = {code: 503, reason: 'ServiceUnavailable', status: 'UNAVAILABLE', message};
  const headers = {'content-type': ERROR_TYPE, 'retry-after': '1'};
  answerText(response, fault.code, headers, errorBody(apiOf(request.url ?? '/'), fault));
};

export type Gate = {
  readonly handler: Handler;
  /** Hands over what waits, and from now on each request at once. */
  readonly open: () => void;
  /** Refuses what waits and what comes, unless it was opened: the start failed. */
  readonly refuseAll: () => void;
};

export const gateBefore = (handler: Handler, heldMax = HELD_MAX): Gate => {
  let held: (readonly [AnyRequest, AnyResponse])[] = [];
  const hold: Handler = (request, response) => {
    if (held.length < heldMax) held.push([request, response]);
    else refuse(request, response, 'the server is starting and too many requests wait; try again');
  };
  const refuseOne: Handler = (request, response) => refuse(request, response, 'the server did not start; try again');
  let take = hold;
  const pass = (next: Handler): void => {
    if (take !== hold) return;
    take = next;
    const waited = held;
    held = [];
    for (const [request, response] of waited) if (!isGone(response)) next(request, response);
  };
  return {
    handler: (request, response) => take(request, response),
    open: () => pass(handler),
    refuseAll: () => pass(refuseOne),
  };
};
