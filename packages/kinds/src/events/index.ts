// SPDX-License-Identifier: Apache-2.0
import type {KindModule} from '@palisade/apiserver';
import type {KindSettings} from '../settings.ts';
import {eventsKind} from './kind.ts';

export const eventsModule = (_settings: KindSettings): KindModule => ({
  kinds: [eventsKind],
  controllers: [],
  bootstraps: [],
});
