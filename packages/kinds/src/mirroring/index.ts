// SPDX-License-Identifier: Apache-2.0
/** Endpoints to EndpointSlices. Ref: kubernetes v1.36 pkg/controller/endpointslicemirroring. */
import type {KindModule} from '@palisade/apiserver';
import type {KindSettings} from '../settings.ts';
import {endpointSliceMirroring} from './controller.ts';

export const mirroringModule = (settings: KindSettings): KindModule => ({
  kinds: [],
  controllers: [endpointSliceMirroring(settings)],
  bootstraps: [],
});
