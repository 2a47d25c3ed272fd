// SPDX-License-Identifier: Apache-2.0
/** The right to a watch, for `OpenRights`: the request that opened it, judged again. */
import {attributesOf} from '../authz/attributes.ts';
import {credentialKey} from '../authz/credential-key.ts';
import {accessFault} from '../authz/forbidden-access.ts';
import type {LostRight, StreamRight} from '../authz/open-rights.ts';
import {StatusError, unauthorized} from '../base/status-error.ts';
import {ANONYMOUS, type Authentication, type UserInfo} from '../identity/authenticator.ts';
import type {RequestInfo} from '../request/request-info.ts';
import type {AdmissionParts, Admitted} from './admission.ts';
import {credentialsOf} from './credentials.ts';
import type {HttpRequest} from './exchange.ts';
import {impersonate} from './impersonate.ts';

const CREDENTIAL_GONE: LostRight = {
  reason: 'unauthenticated',
  error: unauthorized('the watch was ended because its credential is no longer valid'),
};

const isSame = (a: UserInfo, b: UserInfo): boolean => a.name === b.name && a.uid === b.uid;

/** The user that the credential stands for now. Throws if that cannot be found out. */
const requestorOf = (result: Authentication): UserInfo | undefined => {
  if (result.outcome === 'limited') throw new Error('the address of the client has too many failed logins');
  if (result.outcome === 'refused') return undefined;
  return result.outcome === 'user' ? result.user : ANONYMOUS;
};

/** Undefined: nothing that the request was admitted for can be taken away. */
export const watchRight = (
  {authenticator, authorizer, lastModes}: AdmissionParts,
  request: HttpRequest,
  info: RequestInfo,
  admitted: Pick<Admitted, 'user' | 'requestor'>,
): StreamRight | undefined => {
  const {user, requestor} = admitted;
  if (authenticator.admitsAll === true && user === requestor) return undefined;
  const {clientCertificate, arrival} = credentialsOf(request);
  const {headers, rawHeaders} = request;
  const asked = (who: UserInfo) => attributesOf(who, info);
  const check = async (): Promise<LostRight | undefined> => {
    // Without the address of the client: a check is no login, and must not count as a failed one.
    const now = requestorOf(await authenticator.authenticate({headers, clientCertificate, arrival}));
    if (now === undefined || !isSame(now, requestor)) return CREDENTIAL_GONE;
    try {
      const actsAs = await impersonate({headers, rawHeaders}, now, asked, authorizer, lastModes);
      const error = await accessFault(authorizer, asked(actsAs));
      return error && {reason: 'forbidden', error};
    } catch (error) {
      if (error instanceof StatusError && error.code === 403) return {reason: 'forbidden', error};
      throw error;
    }
  };
  const {verb, path, name, selectedName} = info;
  return {
    key: JSON.stringify([
      'kubernetes',
      credentialKey({rawHeaders, clientCertificate}),
      requestor.name,
      requestor.uid,
      verb,
      path,
      name,
      selectedName,
    ]),
    path,
    users: {user: user.name, ...(user !== requestor && {requestor: requestor.name})},
    check,
  };
};
