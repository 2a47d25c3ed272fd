// SPDX-License-Identifier: Apache-2.0
import type {KindModule} from '@palisade/apiserver';
import {noProber, type Prober} from '../checks/prober.ts';
import {endpointGroups} from './controller.ts';
import {endpointGroupsKindOf} from './kind.ts';
import {LiveResults} from './live-results.ts';

/** Without a prober: the kind alone. */
export const endpointGroupsModule = (prober: Prober | undefined): KindModule => {
  const live = new LiveResults();
  return {
    kinds: [endpointGroupsKindOf(live, prober ?? noProber)],
    controllers: prober === undefined ? [] : [endpointGroups(prober, live)],
    bootstraps: [],
  };
};
