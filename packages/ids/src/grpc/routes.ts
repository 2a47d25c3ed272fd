// SPDX-License-Identifier: Apache-2.0
import type {ConnectRouter} from '@connectrpc/connect';
import {IDS} from '@palisade/ids-wire/gen/google/cloud/ids/v1/ids_pb.ts';
import {Locations} from '@palisade/ids-wire/gen/google/cloud/location/locations_pb.ts';
import {Operations} from '@palisade/ids-wire/gen/google/longrunning/operations_pb.ts';
import {Health} from '@palisade/ids-wire/gen/grpc/health/v1/health_pb.ts';
import type {StreamHub} from '../stream-hub.ts';
import type {Timers} from '../system.ts';
import type {GrpcDeps} from './call.ts';
import {registerHealth} from './health.ts';
import {registerIds} from './ids-service.ts';
import {registerReflection} from './reflection.ts';
import {registerLocations, registerOperations} from './standard-services.ts';

/** All gRPC services of the IDS API on one router. */
export const createGrpcRoutes =
  (deps: GrpcDeps, timers: Timers, healthWatches: StreamHub, draining: AbortSignal) =>
  (router: ConnectRouter): void => {
    const services = [IDS, Operations, Locations, Health];
    registerIds(router, deps);
    registerOperations(router, deps, timers, draining);
    registerLocations(router, deps);
    registerHealth(
      router,
      deps,
      services.map(service => service.typeName),
      healthWatches,
    );
    registerReflection(router, services);
  };
