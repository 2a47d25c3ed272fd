// SPDX-License-Identifier: Apache-2.0
import type {KindModule} from '@palisade/apiserver';
import type {KindSettings} from '../settings.ts';
import {servicesKind} from './kind.ts';

export const servicesModule = (_settings: KindSettings): KindModule => ({
  kinds: [servicesKind],
  controllers: [],
  bootstraps: [],
});
