// SPDX-License-Identifier: Apache-2.0
/** What is done against the rules of a deletion is written down: who, from where, which object, what, and why (E-238). */

import type {Log} from '../base/log.ts';
import type {UserInfo} from '../identity/authenticator.ts';
import type {ReleasedHolds} from '../verbs/object/request-context.ts';
import {type HttpRequest, headerOf} from './exchange.ts';
import {REASON_HEADER} from './reason-header.ts';

const SAID_CHARACTERS_MAX = 1_000;
/** What the log keeps of a text that a client says of itself: its reason, its `Audit-Id`, its agent. Names of users and groups are kept whole. */
export const keptOf = (said: string): string => said.slice(0, SAID_CHARACTERS_MAX);

const reasonOf = (request: HttpRequest): string | undefined => {
  const text = headerOf(request, REASON_HEADER);
  if (text === undefined) return undefined;
  try {
    return keptOf(decodeURIComponent(text));
  } catch {
    return keptOf(text); // sent by hand, not encoded: kept as it came
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
    auditId: keptOf(auditId),
    user: user.name,
    groups: user.groups,
    ...(requestor.name === user.name ? {} : {requestor: requestor.name}),
    from,
    userAgent: agent && keptOf(agent),
    verb,
    ...released,
    reason: reasonOf(request),
  };
  log.warn(fields, 'what held a deleted object was taken away');
};
