// SPDX-License-Identifier: Apache-2.0
import type {KindModule} from '@palisade/apiserver';
import type {AccountTokens} from './account-tokens.ts';
import {defaultServiceAccounts} from './default-controller.ts';
import {serviceAccountsKind} from './kind.ts';
import {tokenRequestKind} from './token-request.ts';

export type {AccountTokens, BoundObject, ObjectRef, TokenWish} from './account-tokens.ts';

/** Without `tokens` accounts are stored, and get none. */
export const serviceAccountsModule = (tokens: AccountTokens | undefined): KindModule => ({
  kinds: [
    tokens === undefined
      ? serviceAccountsKind
      : {...serviceAccountsKind, questions: [{name: 'token', kind: tokenRequestKind(tokens)}]},
  ],
  controllers: [defaultServiceAccounts],
  bootstraps: [],
});
