// SPDX-License-Identifier: Apache-2.0
import type {KindModule} from '@palisade/apiserver';
import {servicesKind} from './kind.ts';

export const servicesModule: KindModule = {kinds: [servicesKind], controllers: [], bootstraps: []};
