// SPDX-License-Identifier: Apache-2.0
/** AccessTokens of a server, as the commands read and print them. */
import type {KubeClient, KubeObject, ResourceType} from '@palisade/client';
import {listAll} from '@palisade/client';

export const ACCESS_TOKENS: ResourceType = {
  group: 'platform.io',
  version: 'v1alpha1',
  plural: 'accesstokens',
  kind: 'AccessToken',
  namespaced: false,
};
/** What every token begins with. */
export const TOKEN_PREFIX = 'plst_';

export type AccessToken = KubeObject & {
  readonly spec?: {
    readonly user?: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly ttlSeconds?: number;
    readonly description?: string;
  };
  readonly status?: {
    readonly digest?: string;
    readonly createdBy?: string;
    readonly expirationTimestamp?: string;
    /** Only in the answer to a create. */
    readonly token?: string;
  };
};

/** As it is printed as JSON; times as RFC 3339. Without digest and token. */
export const tokenRow = ({metadata, spec, status}: AccessToken) => ({
  name: metadata?.name ?? '',
  user: spec?.user ?? '',
  ...(spec?.uid === undefined ? {} : {uid: spec.uid}),
  groups: spec?.groups ?? [],
  created: metadata?.creationTimestamp ?? '',
  createdBy: status?.createdBy ?? '',
  /** Null: it does not expire. */
  expires: status?.expirationTimestamp ?? null,
  ...(spec?.description === undefined ? {} : {description: spec.description}),
});

/** All of them, or those that a field selector names. */
export const allTokens = (client: Pick<KubeClient, 'resource'>, fieldSelector?: string): AsyncGenerator<AccessToken> =>
  listAll(client.resource<AccessToken>(ACCESS_TOKENS), '', {fieldSelector});

/** Ref: kubernetes v1.36 apimachinery/pkg/fields/selector.go EscapeValue. */
export const selectorOf = (field: 'spec.user' | 'status.digest', value: string): string =>
  `${field}=${value.replace(/[\\,=]/g, '\\$&')}`;
