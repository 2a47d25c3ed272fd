// SPDX-License-Identifier: Apache-2.0
import type {GuardingModule} from '../kind-guard.ts';
import {leaseGuard} from './access.ts';
import {registrationLeases} from './controller.ts';
import {endpointRegistrationsKind} from './kind.ts';

export const endpointRegistrationsModule: GuardingModule = {
  kinds: [endpointRegistrationsKind],
  controllers: [registrationLeases],
  bootstraps: [],
  guards: [leaseGuard],
};
