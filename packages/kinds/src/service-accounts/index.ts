// SPDX-License-Identifier: Apache-2.0
import type {KindModule} from '@palisade/apiserver';
import {defaultServiceAccounts} from './default-controller.ts';
import {serviceAccountsKind} from './kind.ts';

export const serviceAccountsModule: KindModule = {
  kinds: [serviceAccountsKind],
  controllers: [defaultServiceAccounts],
  bootstraps: [],
};
