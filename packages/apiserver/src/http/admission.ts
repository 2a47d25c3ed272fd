// SPDX-License-Identifier: Apache-2.0
/** Who sent a request, and whether they may do what it asks for. */
import {TOO_MANY_LOGINS} from '../authn/login-limit.ts';
import {attributesOf} from '../authz/attributes.ts';
import type {Authorizer} from '../authz/authorizer.ts';
import {accessFault} from '../authz/forbidden-access.ts';
import {tooManyRequests, unauthorized} from '../base/status-error.ts';
import {toStatus} from '../base/to-status.ts';
import {ANONYMOUS, type Authenticator, type UserInfo} from '../identity/authenticator.ts';
import type {RequestInfo} from '../request/request-info.ts';
import type {Services} from '../verbs/object/request-context.ts';
import type {AuditTrail} from './audit/audit-trail.ts';
import type {RequestCounts} from './counts/request-counts.ts';
import {credentialsOf} from './credentials.ts';
import {endSession, type HttpRequest, type HttpResponse} from './exchange.ts';
import {impersonate, type LastModes} from './impersonate.ts';
import type {AnswerAccount} from './unread-answers.ts';
import type {Warnings} from './warnings.ts';

export type AdmissionParts = {
  readonly services: Pick<Services, 'timers'>;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly lastModes: LastModes;
  readonly counts: RequestCounts;
};

type Asked = {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly info: RequestInfo;
  readonly warnings: Warnings;
  readonly account: AnswerAccount;
  readonly trail?: AuditTrail | undefined;
};

export type Admitted = {
  readonly user: UserInfo;
  /** Who showed the credential: another one than `user` when somebody is impersonated. */
  readonly requestor: UserInfo;
  readonly byCredential: boolean;
};

/** Who asks, and may. Refusals but 401 say nosniff (upstream's RespondWithError). Throws StatusError 400, 401, 403. */
export const admit = async (parts: AdmissionParts, exchange: Asked): Promise<Admitted> => {
  try {
    const caller = await userOf(parts, exchange);
    const asked = attributesOf(caller.user, exchange.info);
    const fault = await accessFault(parts.authorizer, asked, decision => exchange.trail?.decided(decision));
    parts.counts.authorized(fault === undefined ? 'allowed' : 'no-opinion');
    if (fault !== undefined) throw fault;
    return caller;
  } catch (error) {
    if (toStatus(error).status.code !== 401) exchange.response.setHeader('X-Content-Type-Options', 'nosniff');
    throw error;
  }
};

const userOf = async (
  {authenticator, authorizer, lastModes, services, counts}: AdmissionParts,
  {request, info, warnings, account, trail}: Asked,
): Promise<Admitted> => {
  const result = await authenticator.authenticate(credentialsOf(request));
  counts.authenticated(result.outcome, result.outcome === 'user' ? result.user.name : ANONYMOUS.name);
  if (result.warning !== undefined) warnings.add(result.warning);
  if (result.outcome !== 'user') endSession(request, services.timers); // as upstream, since CVE-2023-44487
  if (result.outcome === 'limited') throw tooManyRequests(TOO_MANY_LOGINS, result.retryAfterSeconds);
  if (result.outcome === 'refused') {
    trail?.unauthenticated(attributesOf(ANONYMOUS, info), result.reason);
    throw unauthorized();
  }
  const requestor = result.outcome === 'user' ? result.user : ANONYMOUS;
  trail?.identified(requestor);
  const written = trail?.asked(attributesOf(requestor, info));
  if (written !== undefined) await written;
  account.belongsTo(requestor.name);
  const byCredential = result.outcome === 'user' && result.byCredential === true;
  const user = await impersonate(request, requestor, who => attributesOf(who, info), authorizer, lastModes);
  trail?.impersonated(user);
  return {user, requestor, byCredential};
};
