// SPDX-License-Identifier: Apache-2.0
import type {KindModule} from '@palisade/apiserver';
import {endpointRegistrationsKind} from './kind.ts';

export const endpointRegistrationsModule: KindModule = {
  kinds: [endpointRegistrationsKind],
  controllers: [],
  bootstraps: [],
};
