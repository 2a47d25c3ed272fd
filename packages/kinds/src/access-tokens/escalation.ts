// SPDX-License-Identifier: Apache-2.0
/**
 * A user who creates a token for another user can act as that user. So the creator needs the right to do so already: the verb `impersonate` on
 * the user, its UID and each of its groups, as for Impersonate-* headers, or the group system:masters.
 * Ref: kubernetes v1.36 apiserver/pkg/endpoints/filters/impersonation (legacy mode).
 */
import {type Attributes, forbidden, MASTERS_GROUP, type StrategyContext} from '@palisade/apiserver';
import {goQuote} from '@palisade/kube-wire';
import {PLATFORM_GROUP} from '../endpoint-groups/schema.ts';
import type {AccessToken} from './types.ts';

const AUTHENTICATION_GROUP = 'authentication.k8s.io';
const RESOURCE = {group: PLATFORM_GROUP, resource: 'accesstokens'};
/** Every user is in it, so the right to it adds nothing. */
const EVERY_USER = 'system:authenticated';
/** How many missing rights an answer names. */
const NAMED_MAX = 10;

type Target = {readonly group: string; readonly resource: string; readonly name: string; readonly text: string};

const targetsOf = ({user = '', uid = '', groups = []}: NonNullable<AccessToken['spec']>): Target[] => [
  {group: '', resource: 'users', name: user, text: `user ${goQuote(user)}`},
  ...(uid === '' ? [] : [{group: AUTHENTICATION_GROUP, resource: 'uids', name: uid, text: `uid ${goQuote(uid)}`}]),
  ...groups
    .filter(group => group !== EVERY_USER)
    .map(name => ({group: '', resource: 'groups', name, text: `group ${goQuote(name)}`})),
];

const attributesFor = ({user}: StrategyContext, {group, resource, name}: Target): Attributes => ({
  ...{user, verb: 'impersonate', resourceRequest: true, group, version: 'v1', resource, subresource: ''},
  ...{namespace: '', name, path: ''},
});

/** Throws StatusError 403 that names every missing right. */
export const guardAccessToken = (draft: AccessToken, context: StrategyContext): void => {
  if (context.user.groups.includes(MASTERS_GROUP)) return;
  const {resolver} = context.authorizer;
  const missing = targetsOf(draft.spec ?? {}).filter(
    target => resolver?.allows(attributesFor(context, target)) !== true,
  );
  if (missing.length === 0) return;
  const named = missing.slice(0, NAMED_MAX).map(({text}) => text);
  if (missing.length > NAMED_MAX) named.push(`${missing.length - NAMED_MAX} more`);
  const why = `user ${goQuote(context.user.name)} cannot create a token for ${named.join(', ')}: it needs the verb "impersonate" on each of them`;
  throw forbidden(RESOURCE, draft.metadata.name ?? '', why);
};
