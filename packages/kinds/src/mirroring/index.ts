// SPDX-License-Identifier: Apache-2.0
/** Endpoints to EndpointSlices. Ref: kubernetes v1.36 pkg/controller/endpointslicemirroring. */
import type {KindModule} from '@palisade/apiserver';

export const mirroringModule: KindModule = {kinds: [], controllers: [], bootstraps: []};
