// SPDX-License-Identifier: Apache-2.0
/** Small bodies of requests that show no credential yet. */
import {
  type AnswerAccount,
  ClientGoneError,
  credentialsOf,
  sourceOf,
  type Timers,
  type UnreadAnswers,
} from '@palisade/apiserver';
import {systemTimers} from '../process/system.ts';
import type {AnyRequest, AnyResponse} from './listeners.ts';

/** To the whole body. The bounds below take any progress for progress, and HTTP/2 has no time-out for a request. */
const BODY_MS_MAX = 30_000;
const MS_PER_S = 1_000;
/** Until a client that found no room may try again. */
const RETRY_AFTER_S = 1;

/** Bounds of bodies: in total, of one source, and without progress. */
export type BodyBound = Pick<AnswerAccount, 'fault' | 'holdBody' | 'releaseBody'>;
/** 408: the body did not come in time. 429: the bound has no room. */
export type Unread = {
  readonly code: 408 | 413 | 429;
  readonly message: string;
  readonly retryAfterSeconds?: number;
};

type BoundParts = {readonly unread: UnreadAnswers | undefined; readonly path: string; readonly what: string};

/** The body counts for its source, as a failed login does: an IPv4 address, or an IPv6 network. */
export const boundOf = (
  request: AnyRequest,
  response: AnyResponse,
  {unread, path, what}: BoundParts,
): BodyBound | undefined =>
  unread?.accountOf(response, path, `${what} from ${sourceOf(credentialsOf(request).remoteAddress ?? '')}`);

export type ReadParts = {
  readonly bytesMax: number;
  readonly bound?: BodyBound | undefined;
  readonly timers?: Pick<Timers, 'after'> | undefined;
};

/** The text of a body. The rest of one that is refused is dropped as it comes. Rejects with ClientGoneError. */
export const readText = (
  request: AnyRequest,
  {bytesMax, bound, timers = systemTimers}: ReadParts,
): Promise<string | Unread> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let refused = false;
  let late = {cancel: () => {}};
  return new Promise<string | Unread>((resolve, reject) => {
    const refuse = (why: Unread): void => {
      refused = true;
      chunks.length = 0;
      resolve(why);
    };
    late = timers.after(BODY_MS_MAX, () =>
      refuse({code: 408, message: `the body did not arrive within ${BODY_MS_MAX / MS_PER_S} seconds`}),
    );
    bound?.holdBody(0);
    request.on('data', (chunk: Buffer) => {
      if (refused) return;
      bytes += chunk.length;
      const full = bound?.fault(chunk.length);
      if (bytes > bytesMax) return refuse({code: 413, message: `the body is longer than ${bytesMax} bytes`});
      if (full !== undefined) return refuse({code: 429, message: full, retryAfterSeconds: RETRY_AFTER_S});
      bound?.holdBody(bytes);
      chunks.push(chunk);
    });
    request.on('end', () => resolve(Buffer.concat(chunks).toString()));
    request.on('error', reject);
    request.on('aborted', () => reject(new ClientGoneError()));
  }).finally(() => {
    late.cancel();
    bound?.releaseBody();
  });
};

/** Before a 408 is answered: nobody waits for the rest of its body. The answer itself is sent whole. */
export const endWithAnswer = (response: AnyResponse): void => {
  if ('stream' in response) response.stream.once('finish', () => response.stream.close());
  else response.shouldKeepAlive = false;
};
