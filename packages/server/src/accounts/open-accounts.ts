// SPDX-License-Identifier: Apache-2.0
/** Tokens of service accounts, put together: opened before the Kubernetes side, which asks it, and given that side when it is up. */
import {randomUUID} from 'node:crypto';
import {type DocumentRoute, findToken, type KubeApi} from '@palisade/apiserver';
import type {AccountTokens} from '@palisade/kinds';
import type {Authentication} from '../auth/authentication.ts';
import type {Side} from '../port/router.ts';
import {CONFIGURATION_PATH, issuerDocuments, KEYS_PATH} from './issuer-documents.ts';
import {KeyAssertions, selfSignedTokens} from './key-assertions.ts';
import {type Issuer, signedTokens, signToken} from './signed-tokens.ts';
import {openSigningKey} from './signing-key.ts';
import {storedAccounts} from './stored-accounts.ts';
import {type FailedLogins, type TokenEndpointParts, tokenEndpoint} from './token-endpoint.ts';

export type Accounts = {
  readonly tokens: AccountTokens;
  readonly documents: readonly DocumentRoute[];
  readonly documentPaths: readonly string[];
  /** From now on its tokens are accepted. The value is what answers /token. */
  serve(kube: Pick<KubeApi, 'services'>, parts: Pick<TokenEndpointParts, 'auditor' | 'unread'>): Side;
};

type AccountParts = {
  readonly dataDir: string;
  /** `iss` of the tokens, and the audience of the server. */
  readonly issuer: string;
  readonly authentication: Authentication;
  /** '' until something listens. */
  readonly publicUrl: () => string;
  readonly failedLogins?: FailedLogins | undefined;
};

/** Throws CommandError for a key file that cannot be used. */
export const openAccounts = async (parts: AccountParts): Promise<Accounts> => {
  const {authentication, publicUrl, failedLogins} = parts;
  const key = await openSigningKey(parts.dataDir);
  const issuer: Issuer = {url: parts.issuer, audiences: [parts.issuer], key, newId: randomUUID};
  return {
    tokens: {
      audiences: issuer.audiences,
      issue: wish => signToken(issuer, wish),
      review: (token, audiences) => findToken(authentication.tokenSources, token, audiences),
      tokenUri: () => `${publicUrl()}/token`,
    },
    documents: [issuerDocuments(issuer, publicUrl)],
    documentPaths: [CONFIGURATION_PATH, KEYS_PATH],
    serve: (kube, {auditor, unread}) => {
      const stored = storedAccounts(kube);
      const assertions = new KeyAssertions(stored);
      authentication.addTokens(signedTokens(issuer, stored));
      authentication.addTokens(selfSignedTokens(assertions, publicUrl));
      return tokenEndpoint({
        assertions,
        publicUrl,
        failedLogins,
        auditor,
        unread,
        issue: ({namespace, account, key: signedWith}, lifetimeSeconds) => {
          const {audiences} = issuer;
          const wish = {namespace, account, audiences, nowMs: stored.nowMs(), lifetimeSeconds, key: signedWith};
          return signToken(issuer, wish);
        },
      });
    },
  };
};
