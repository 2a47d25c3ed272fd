// SPDX-License-Identifier: Apache-2.0
import type {KindModule} from '@palisade/apiserver';
import {leasesKind} from './kind.ts';

export const leasesModule: KindModule = {kinds: [leasesKind], controllers: [], bootstraps: []};
