// SPDX-License-Identifier: Apache-2.0
import type {KindModule} from '@palisade/apiserver';
import {accessTokensModule} from './access-tokens/index.ts';
import type {Prober} from './checks/prober.ts';
import {configMapsModule} from './config-maps/index.ts';
import {endpointGroupsModule} from './endpoint-groups/index.ts';
import {endpointRegistrationsModule} from './endpoint-registrations/index.ts';
import {endpointSlicesModule} from './endpoint-slices/index.ts';
import {endpointsKind} from './endpoints/kind.ts';
import {eventsModule} from './events/index.ts';
import {type GuardingModule, guarded} from './kind-guard.ts';
import {leasesModule} from './leases/index.ts';
import {mirroringModule} from './mirroring/index.ts';
import {namespacesModule} from './namespaces/index.ts';
import {namespacesKind} from './namespaces/kind.ts';
import {nodesModule} from './nodes/index.ts';
import {rbacModule} from './rbac/index.ts';
import {readOnlyKinds} from './read-only/kinds.ts';
import {reviewKinds} from './reviews/kinds.ts';
import {secretsModule} from './secrets/index.ts';
import {serviceAccountKeysModule} from './service-account-keys/index.ts';
import {type AccountTokens, serviceAccountsModule} from './service-accounts/index.ts';
import {servicesModule} from './services/index.ts';
import {DEFAULT_KIND_SETTINGS, type KindSettings} from './settings.ts';

export {type AccessTokens, createAccessTokens} from './access-tokens/index.ts';
export {noProber, type Prober} from './checks/prober.ts';
export {createRbacAuthorizer, RBAC_GROUP, type RbacAuthorizer} from './rbac/index.ts';
export {accountOfEmail, emailOf, type ServiceAccountKey} from './service-account-keys/types.ts';
export type {AccountTokens, BoundObject, ObjectRef, TokenWish} from './service-accounts/index.ts';
export {DEFAULT_KIND_SETTINGS, type KindSettings} from './settings.ts';
export {endpointsKind, namespacesKind};

const kindsOnly = (...kinds: KindModule['kinds']): KindModule => ({kinds, controllers: [], bootstraps: []});

/**
 * What kinds need of the world outside the store. Without a prober groups are stored, and no Endpoints composed; without `tokens` there
 * are neither tokens nor keys of service accounts, nor TokenReviews.
 */
export type KindPorts = {readonly prober: Prober | undefined; readonly tokens?: AccountTokens | undefined};

/** In the order of discovery; bootstraps and controllers run in this order, too. */
const modulesOf = (settings: KindSettings, {prober, tokens}: KindPorts): readonly GuardingModule[] => [
  kindsOnly(endpointsKind),
  namespacesModule,
  configMapsModule,
  secretsModule,
  serviceAccountsModule(tokens),
  servicesModule(settings),
  nodesModule,
  eventsModule(settings),
  kindsOnly(...reviewKinds(tokens)),
  rbacModule,
  kindsOnly(...readOnlyKinds),
  leasesModule,
  endpointSlicesModule,
  mirroringModule(settings),
  endpointRegistrationsModule,
  endpointGroupsModule(prober),
  accessTokensModule,
  ...(tokens === undefined ? [] : [serviceAccountKeysModule(tokens)]),
];

/** The Kubernetes side as the product serves it. */
export const createKubeModule = (settings: KindSettings, ports: KindPorts): KindModule => {
  const modules = modulesOf(settings, ports);
  const guards = modules.flatMap(module => module.guards ?? []);
  return {
    kinds: modules.flatMap(({kinds}) => kinds).map(kind => guarded(kind, guards)),
    controllers: modules.flatMap(({controllers}) => controllers),
    bootstraps: modules.flatMap(({bootstraps}) => bootstraps),
  };
};

/** With the settings of a server that was given none, and without a prober. */
export const kubeModule: KindModule = createKubeModule(DEFAULT_KIND_SETTINGS, {prober: undefined});
