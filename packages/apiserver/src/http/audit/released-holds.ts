// SPDX-License-Identifier: Apache-2.0
/** Logs each request that removes a deletion hold: user, address, object, holds, reason (E-238). */

import type {Log} from '../../base/log.ts';
import type {UserInfo} from '../../identity/authenticator.ts';
import type {ReleasedHolds} from '../../verbs/object/request-context.ts';
import {type HttpRequest, headerOf} from '../exchange.ts';
import {REASON_HEADER} from './reason-header.ts';

const CLIENT_TEXT_MAX = 1_000;
/** A text that the client chose (reason, `Audit-Id`, user agent), cut for the log. Names of users and groups are not cut. */
export const truncated = (text: string): string => text.slice(0, CLIENT_TEXT_MAX);

const reasonOf = (request: HttpRequest): string | undefined => {
  const text = headerOf(request, REASON_HEADER);
  if (text === undefined) return undefined;
  try {
    return truncated(decodeURIComponent(text));
  } catch {
    return truncated(text); // sent by hand, not encoded: kept as it came
  }
};

export type Asker = {
  readonly request: HttpRequest;
  readonly user: UserInfo;
  /** Who showed the credential: another one than `user` when somebody is impersonated. */
  readonly requestor: UserInfo;
  readonly verb: string;
  /** Address of the client. */
  readonly from: string | undefined;
  /** `Audit-Id` of the answer. */
  readonly auditId: string;
};

/** One line, level warn, so that it stays with every log level that operators use. */
export const logReleased = (
  log: Log,
  released: ReleasedHolds,
  {request, user, requestor, verb, from, auditId}: Asker,
): void => {
  const agent = headerOf(request, 'user-agent');
  const fields = {
    audit: true,
    auditId: truncated(auditId),
    user: user.name,
    groups: user.groups,
    ...(requestor.name === user.name ? {} : {requestor: requestor.name}),
    from,
    userAgent: agent && truncated(agent),
    verb,
    ...released,
    reason: reasonOf(request),
  };
  log.warn(fields, 'deletion hold removed by a request');
};
