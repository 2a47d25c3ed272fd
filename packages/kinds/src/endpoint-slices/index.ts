// SPDX-License-Identifier: Apache-2.0
import type {KindModule} from '@palisade/apiserver';
import {endpointSlicesKind} from './kind.ts';

export const endpointSlicesModule: KindModule = {kinds: [endpointSlicesKind], controllers: [], bootstraps: []};
