// SPDX-License-Identifier: Apache-2.0
/** platform.io/v1alpha1 AccessToken: a bearer token that is issued and revoked while the server runs. */
import {digestOfToken, type KindDefinition, type KubeObject, type Strategy, toKubeTime} from '@palisade/apiserver';
import {nameIsDnsSubdomain} from '@palisade/kube-wire';
import {PLATFORM_GROUP, PLATFORM_VERSION} from '../endpoint-groups/schema.ts';
import {guardAccessToken} from './escalation.ts';
import {ACCESS_TOKEN, accessTokenTypes} from './schema.ts';
import {accessTokenTable} from './table.ts';
import {type AccessToken, type AccessTokenStatus, newToken} from './types.ts';
import {validateAccessToken} from './validate.ts';

const asToken = (object: KubeObject): AccessToken => object as AccessToken;

const expiry = ({spec}: AccessToken, nowMs: number): Pick<AccessTokenStatus, 'expirationTimestamp'> => {
  const {ttlSeconds} = spec ?? {};
  return ttlSeconds === undefined ? {} : {expirationTimestamp: toKubeTime(nowMs + ttlSeconds * 1_000)};
};

/** Of a text in the audit log that nobody has checked yet. */
const ANNOTATION_CHARS_MAX = 1_000;
const cut = (text: string): string => text.slice(0, ANNOTATION_CHARS_MAX);

const strategy: Strategy = {
  validateName: nameIsDnsSubdomain,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  resetFields: [['status']],
  guard: (draft, _current, context) => guardAccessToken(asToken(draft), context),
  prepareForCreate: (draft, {user, nowMs}) => {
    const createdBy = user.name === '' ? {} : {createdBy: user.name};
    draft['status'] = {...createdBy, ...expiry(asToken(draft), nowMs)};
  },
  answerOnce: (draft, {random}) => {
    const token = newToken(count => random.bytes(count));
    draft['status'] = {...asToken(draft).status, digest: digestOfToken(token)};
    return answered => {
      answered['status'] = {...asToken(answered).status, token};
    };
  },
  auditAnnotations: (draft, {nowMs}) => {
    const {user = '', groups = []} = asToken(draft).spec ?? {};
    return {
      'palisade.io/token-user': cut(user),
      ...(groups.length === 0 ? {} : {'palisade.io/token-groups': cut(groups.join(','))}),
      'palisade.io/token-expires': expiry(asToken(draft), nowMs).expirationTimestamp ?? 'never',
    };
  },
  validateCreate: draft => validateAccessToken(asToken(draft)),
  selectableFields: {
    'spec.user': object => asToken(object).spec?.user ?? '',
    'status.digest': object => asToken(object).status?.digest ?? '',
  },
  table: accessTokenTable,
};

export const accessTokensKind: KindDefinition = {
  group: PLATFORM_GROUP,
  version: PLATFORM_VERSION,
  kind: 'AccessToken',
  listKind: 'AccessTokenList',
  resource: 'accesstokens',
  singular: 'accesstoken',
  namespaced: false,
  verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'watch'],
  typeName: ACCESS_TOKEN,
  types: accessTokenTypes,
  registryPath: `${PLATFORM_GROUP}/accesstokens`,
  internalName: 'platform.AccessToken',
  strategy,
};
