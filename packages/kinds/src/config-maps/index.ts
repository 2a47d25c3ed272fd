// SPDX-License-Identifier: Apache-2.0
import type {KindModule} from '@palisade/apiserver';
import {configMapsKind} from './kind.ts';

export const configMapsModule: KindModule = {kinds: [configMapsKind], controllers: [], bootstraps: []};
