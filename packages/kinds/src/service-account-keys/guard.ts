// SPDX-License-Identifier: Apache-2.0
/** A key is as good as a token without an end: its maker needs the right to make tokens of the account. */
import {type Attributes, forbidden, MASTERS_GROUP, type StrategyContext} from '@palisade/apiserver';
import {PLATFORM_GROUP} from '../endpoint-groups/schema.ts';
import type {ServiceAccountKey} from './types.ts';

const mayMakeTokens = ({user, authorizer}: StrategyContext, namespace: string, name: string): boolean => {
  if (user.groups.includes(MASTERS_GROUP)) return true;
  const asked: Attributes = {
    ...{user, verb: 'create', resourceRequest: true, path: ''},
    ...{group: '', version: 'v1', resource: 'serviceaccounts', subresource: 'token', namespace, name},
  };
  return authorizer.resolver?.allows(asked) === true;
};

/** Throws StatusError 403. */
export const guardKey = (draft: ServiceAccountKey, context: StrategyContext): void => {
  const {namespace = '', name = ''} = draft.metadata;
  const account = draft.spec?.serviceAccountName ?? '';
  if (account === '' || mayMakeTokens(context, namespace, account)) return;
  const text = `user "${context.user.name}" cannot create tokens of service account "${account}": this needs the verb create on serviceaccounts/token`;
  throw forbidden({group: PLATFORM_GROUP, resource: 'serviceaccountkeys'}, name, text);
};
