// SPDX-License-Identifier: Apache-2.0
/** platform.io/v1alpha1 ServiceAccountKey. Ref: requirements I-114. */
import {
  humanDuration,
  type KindDefinition,
  type KubeObject,
  type Strategy,
  type StrategyContext,
  tableAge,
  tableNameColumns,
} from '@palisade/apiserver';
import {type FieldError, invalid, nameIsDnsSubdomain, notFoundValue, required} from '@palisade/kube-wire';
import {textColumn} from '../doc-column.ts';
import {PLATFORM_GROUP, PLATFORM_VERSION} from '../endpoint-groups/schema.ts';
import type {AccountTokens} from '../service-accounts/index.ts';
import {guardKey} from './guard.ts';
import {type KeyPair, keyFileOf, newKeyPair} from './key-pair.ts';
import {SERVICE_ACCOUNT_KEY, serviceAccountKeyTypes} from './schema.ts';
import {emailOf, type ServiceAccountKey, type ServiceAccountKeyStatus} from './types.ts';

const ACCOUNTS = {group: '', resource: 'serviceaccounts'};

const asKey = (object: KubeObject): ServiceAccountKey => object as ServiceAccountKey;
const accountOf = (object: KubeObject): string => asKey(object).spec?.serviceAccountName ?? '';

const storedAccount = (draft: KubeObject, {stored}: StrategyContext): KubeObject | undefined =>
  stored(ACCOUNTS, draft.metadata.namespace ?? '', accountOf(draft));

const validateCreate = (draft: KubeObject, context: StrategyContext): readonly FieldError[] => {
  const at = 'spec.serviceAccountName';
  const name = accountOf(draft);
  const faults: FieldError[] = [];
  if (name === '') faults.push(required(at, 'name the ServiceAccount'));
  else if (storedAccount(draft, context) === undefined) faults.push(notFoundValue(at, name));
  const {expirationTimestamp} = asKey(draft).spec ?? {};
  if (expirationTimestamp !== undefined && Date.parse(expirationTimestamp) <= context.nowMs)
    faults.push(invalid('spec.expirationTimestamp', expirationTimestamp, 'must be in the future'));
  return faults;
};

/** The account, its owner: the key goes with it. */
const prepareForCreate = (draft: KubeObject, context: StrategyContext): void => {
  const account = storedAccount(draft, context);
  const {namespace = '', ownerReferences = []} = draft.metadata;
  const {name = '', uid = ''} = account?.metadata ?? {};
  draft['status'] = {serviceAccountUID: uid, clientEmail: emailOf(namespace, name)} satisfies ServiceAccountKeyStatus;
  if (account === undefined || ownerReferences.some(owner => owner.uid === uid)) return;
  draft.metadata.ownerReferences = [...ownerReferences, {apiVersion: 'v1', kind: 'ServiceAccount', name, uid}];
};

/** `access`, which may wait, makes the pair; `answerOnce`, of the same request, uses it. */
const strategyWith = (tokens: AccountTokens): Strategy => {
  const pairs = new WeakMap<StrategyContext, KeyPair>();
  return {
    validateName: nameIsDnsSubdomain,
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: false,
    guard: (draft, _current, context) => guardKey(asKey(draft), context),
    access: async ({to, current}, context) => {
      if (to === 'create' && current === undefined) pairs.set(context, await newKeyPair());
    },
    resetFields: [['status']],
    prepareForCreate,
    answerOnce: (draft, context) => {
      const {publicKey, privateKey} = pairs.get(context) ?? {publicKey: '', privateKey: ''};
      const status = {...asKey(draft).status, publicKey};
      draft['status'] = status;
      const {namespace = '', name: keyId = ''} = draft.metadata;
      const accountUid = status.serviceAccountUID ?? '';
      const owner = {namespace, account: accountOf(draft), accountUid, keyId, tokenUri: tokens.tokenUri()};
      return answered => {
        answered['status'] = {...asKey(answered).status, keyFile: keyFileOf(owner, privateKey)};
      };
    },
    validateCreate,
    selectableFields: {'spec.serviceAccountName': accountOf},
    table: {
      columns: [
        ...tableNameColumns([textColumn('Account', 'ServiceAccount whose key it is.')]),
        textColumn('Expires', 'When the key ends.'),
      ],
      cells: (object, nowMs) => {
        const {expirationTimestamp} = asKey(object).spec ?? {};
        const leftMs = expirationTimestamp === undefined ? undefined : Date.parse(expirationTimestamp) - nowMs;
        const ends = leftMs === undefined ? 'never' : leftMs <= 0 ? 'expired' : `in ${humanDuration(leftMs)}`;
        return [object.metadata.name ?? '', accountOf(object), tableAge(object, nowMs), ends];
      },
    },
  };
};

export const serviceAccountKeysKind = (tokens: AccountTokens): KindDefinition => ({
  group: PLATFORM_GROUP,
  version: PLATFORM_VERSION,
  kind: 'ServiceAccountKey',
  listKind: 'ServiceAccountKeyList',
  resource: 'serviceaccountkeys',
  singular: 'serviceaccountkey',
  shortNames: ['sak'],
  namespaced: true,
  verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'watch'],
  typeName: SERVICE_ACCOUNT_KEY,
  types: serviceAccountKeyTypes,
  registryPath: `${PLATFORM_GROUP}/serviceaccountkeys`,
  internalName: 'platform.ServiceAccountKey',
  strategy: strategyWith(tokens),
  whyNotAllowed: 'a key cannot be changed: create another one, and delete this one',
});
