// SPDX-License-Identifier: Apache-2.0
import type {KindModule} from '@palisade/apiserver';
import type {KindSettings} from '../settings.ts';
import {firstIpOf} from './allocation/ip-pool.ts';
import {servicesKindOf} from './kind.ts';
import {kubernetesServiceBootstrap, kubernetesServiceController} from './kubernetes-service.ts';
import {outsideRangesNote} from './outside-ranges.ts';

export const servicesModule = (settings: KindSettings): KindModule => {
  const kind = servicesKindOf(settings);
  const ip = firstIpOf(settings.serviceIpRanges[0] ?? '');
  return {
    kinds: [kind],
    controllers: [kubernetesServiceController(kind, ip)],
    bootstraps: [kubernetesServiceBootstrap(kind, ip), outsideRangesNote(kind, settings)],
  };
};
