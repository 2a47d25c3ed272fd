// SPDX-License-Identifier: Apache-2.0
import type {KindModule} from '@palisade/apiserver';
import {nodesKind} from './kind.ts';

export const nodesModule: KindModule = {kinds: [nodesKind], controllers: [], bootstraps: []};
