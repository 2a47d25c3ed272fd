// SPDX-License-Identifier: Apache-2.0
/** Endpoints to EndpointSlices. Ref: kubernetes v1.36 pkg/controller/endpointslicemirroring. */
import type {KindModule} from '@palisade/apiserver';
import type {KindSettings} from '../settings.ts';

export const mirroringModule = (_settings: KindSettings): KindModule => ({kinds: [], controllers: [], bootstraps: []});
