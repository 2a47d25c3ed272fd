// SPDX-License-Identifier: Apache-2.0
import type {KindModule} from '@palisade/apiserver';
import {eventsKind} from './kind.ts';

export const eventsModule: KindModule = {kinds: [eventsKind], controllers: [], bootstraps: []};
