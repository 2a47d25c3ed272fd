// SPDX-License-Identifier: Apache-2.0
import type {KindModule} from '@palisade/apiserver';
import type {AccountTokens} from '../service-accounts/index.ts';
import {serviceAccountKeysKind} from './kind.ts';

export const serviceAccountKeysModule = (tokens: AccountTokens): KindModule => ({
  kinds: [serviceAccountKeysKind(tokens)],
  controllers: [],
  bootstraps: [],
});
