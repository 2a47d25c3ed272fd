// SPDX-License-Identifier: Apache-2.0
import type {KindModule} from '@palisade/apiserver';
import {serviceAccountsKind} from './kind.ts';

export const serviceAccountsModule: KindModule = {kinds: [serviceAccountsKind], controllers: [], bootstraps: []};
