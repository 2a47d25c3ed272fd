// SPDX-License-Identifier: Apache-2.0
/** The user of a bearer token. Ref: kubernetes v1.36 pkg/registry/authentication/tokenreview/storage.go. */
import {badRequest, type KubeObject, type ReviewHandler, type UserInfo} from '@palisade/apiserver';
import type {AccountTokens} from '../service-accounts/index.ts';

type TokenReview = KubeObject & {spec?: {token?: string; audiences?: string[]}};

/** As it stands in the status of both kinds that answer a user. */
export const userStatus = ({name, uid = '', groups, extra = {}}: UserInfo): Record<string, unknown> => ({
  username: name,
  ...(uid !== '' && {uid}),
  ...(groups.length > 0 && {groups}),
  ...(Object.keys(extra).length > 0 && {extra}),
});

const common = (some: readonly string[], others: readonly string[]): string[] =>
  some.filter(each => others.includes(each));

/** A token without audiences is one of the server's: it answers for those of the server. */
const judge = async (tokens: AccountTokens, token: string, asked: readonly string[]): Promise<object> => {
  const answer = await tokens.review(token, asked);
  if (answer === undefined) return {error: 'invalid bearer token'};
  if (answer.outcome === 'refused') return {error: answer.reason};
  const audiences = common(answer.audiences ?? tokens.audiences, asked);
  if (audiences.length === 0) return {error: 'invalid bearer token'};
  return {authenticated: true, user: userStatus(answer.user), audiences};
};

export const tokenReview =
  (tokens: AccountTokens): ReviewHandler =>
  async draft => {
    const {spec = {}} = draft as TokenReview;
    const {token = '', audiences = []} = spec;
    if (token === '') throw badRequest('token is required for TokenReview in authentication');
    return {...draft, status: await judge(tokens, token, audiences.length > 0 ? audiences : tokens.audiences)};
  };
