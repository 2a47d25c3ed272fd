// SPDX-License-Identifier: Apache-2.0
import type {KindModule} from '@palisade/apiserver';
import {secretsKind} from './kind.ts';

export const secretsModule: KindModule = {kinds: [secretsKind], controllers: [], bootstraps: []};
