// SPDX-License-Identifier: Apache-2.0
/** What an administrator does against the rules of the machine is written down: who asked, from where, what, and why. */
import type {Handler} from './listeners.ts';
import type {Logger} from './logger.ts';

/** Percent-encoded reason of a write that overrides a hold (`palisade confirm-deletion`). Ref: requirements E-238. */
export const REASON_HEADER = 'x-palisade-reason';
/** Characters of a reason that are kept. */
const REASON_CHARACTERS_MAX = 1_000;

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // sent by hand, not encoded: kept as it came
  }
};

/** Logs requests that carry a reason, with the outcome; all others pass untouched. */
export const audited = (log: Pick<Logger, 'warn'>, handler: Handler): Handler => {
  return (request, response) => {
    const reason = request.headers[REASON_HEADER];
    if (typeof reason === 'string') {
      const {method, url, socket} = request;
      response.once('finish', () => {
        // A refused request overrode nothing, and reading needs no reason.
        if (response.statusCode >= 300 || (method !== 'PATCH' && method !== 'DELETE')) return;
        const kept = decode(reason).slice(0, REASON_CHARACTERS_MAX);
        log.warn(
          {audit: true, reason: kept, method, url, from: socket.remoteAddress, status: response.statusCode},
          'a hold was overridden',
        );
      });
    }
    return handler(request, response);
  };
};
