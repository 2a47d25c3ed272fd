// SPDX-License-Identifier: Apache-2.0
/** google.longrunning.Operations and google.cloud.location.Locations. */
import {durationMs} from '@bufbuild/protobuf/wkt';
import type {ConnectRouter} from '@connectrpc/connect';
import {Locations} from '@palisade/ids-wire/gen/google/cloud/location/locations_pb.ts';
import {Operations} from '@palisade/ids-wire/gen/google/longrunning/operations_pb.ts';
import {getLocation, listLocations} from '../locations/locations.ts';
import {
  cancelOperation,
  deleteOperation,
  getOperation,
  listOperations,
  waitOperation,
} from '../operations/operations.ts';
import type {Timers} from '../system.ts';
import {type GrpcDeps, method} from './call.ts';
import {toProtoLocation, toProtoOperation} from './encode.ts';

/** `draining`: aborts when the server stops; a wait for an operation then gets it as it is. */
export const registerOperations = (
  router: ConnectRouter,
  deps: GrpcDeps,
  timers: Timers,
  draining: AbortSignal,
): void => {
  const {service} = deps;
  router.service(Operations, {
    listOperations: method(deps, async (caller, {name, filter, pageSize, pageToken}) => {
      const page = await listOperations(service, caller, {parent: name, filter, pageSize, pageToken, orderBy: ''});
      return {operations: page.items.map(toProtoOperation), nextPageToken: page.nextPageToken};
    }),
    getOperation: method(deps, async (caller, {name}) => toProtoOperation(await getOperation(service, caller, name))),
    deleteOperation: method(deps, async (caller, {name}) => {
      await deleteOperation(service, caller, name);
      return {};
    }),
    cancelOperation: method(deps, async (caller, {name}) => {
      await cancelOperation(service, caller, name);
      return {};
    }),
    waitOperation: method(
      deps,
      async (caller, {name, timeout}, context) => {
        const signal = AbortSignal.any([context.signal, draining]);
        const timeoutMs = timeout === undefined ? undefined : durationMs(timeout);
        return toProtoOperation(await waitOperation(service, caller, {name, timeoutMs, signal, timers}));
      },
      'long-running',
    ),
  });
};

export const registerLocations = (router: ConnectRouter, deps: GrpcDeps): void => {
  const {service} = deps;
  router.service(Locations, {
    listLocations: method(deps, async (caller, {name, filter, pageSize, pageToken}) => {
      const page = await listLocations(service, caller, {name, filter, pageSize, pageToken});
      return {locations: page.items.map(toProtoLocation), nextPageToken: page.nextPageToken};
    }),
    getLocation: method(deps, async (caller, {name}) => toProtoLocation(await getLocation(service, caller, name))),
  });
};
