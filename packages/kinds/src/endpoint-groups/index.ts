// SPDX-License-Identifier: Apache-2.0
import type {KindModule} from '@palisade/apiserver';
import type {Prober} from '../checks/prober.ts';
import {endpointGroupsKind} from './kind.ts';

export const endpointGroupsModule = (_prober: Prober): KindModule => ({
  kinds: [endpointGroupsKind],
  controllers: [],
  bootstraps: [],
});
