// SPDX-License-Identifier: Apache-2.0
/**
 * grpc.health.v1: the server as a whole ('') and each service are SERVING until the server stops. A watch then says NOT_SERVING and ends
 * with UNAVAILABLE, after which clients try again. Watches need no user.
 */
import {Code, ConnectError, type ConnectRouter} from '@connectrpc/connect';
import {Health, HealthCheckResponse_ServingStatus} from '@palisade/ids-wire/gen/grpc/health/v1/health_pb.ts';
import type {OpenStream, StreamHub} from '../stream-hub.ts';
import {type GrpcDeps, toConnectError} from './call.ts';

/** `watches`: ended when the server drains. */
export const registerHealth = (
  router: ConnectRouter,
  deps: GrpcDeps,
  services: readonly string[],
  watches: StreamHub,
): void => {
  const known = (service: string): boolean => service === '' || services.includes(service);
  router.service(Health, {
    check: ({service}) => {
      if (!known(service)) throw new ConnectError(`unknown service ${service}`, Code.NotFound);
      return {status: HealthCheckResponse_ServingStatus.SERVING};
    },
    watch: async function* ({service}, context) {
      const {SERVING, NOT_SERVING, SERVICE_UNKNOWN} = HealthCheckResponse_ServingStatus;
      const stream = openWatch(deps, watches);
      try {
        yield {status: known(service) ? SERVING : SERVICE_UNKNOWN};
        const signal = AbortSignal.any([context.signal, stream.signal]);
        await new Promise<void>(resolve => {
          if (signal.aborted) resolve();
          else signal.addEventListener('abort', () => resolve(), {once: true});
        });
        if (!stream.signal.aborted) return;
        if (known(service)) yield {status: NOT_SERVING};
        throw new ConnectError('the server is stopping; try again', Code.Unavailable);
      } finally {
        stream.close();
      }
    },
  });
};

const openWatch = ({service}: GrpcDeps, watches: StreamHub): OpenStream => {
  try {
    return watches.open('', true); // nobody shows who they are
  } catch (error) {
    throw toConnectError(service, undefined, error);
  }
};
