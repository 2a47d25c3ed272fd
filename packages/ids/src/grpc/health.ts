// SPDX-License-Identifier: Apache-2.0
/** grpc.health.v1: the server as a whole ('') and each service are SERVING as long as the server runs. */
import {Code, ConnectError, type ConnectRouter} from '@connectrpc/connect';
import {Health, HealthCheckResponse_ServingStatus} from '@palisade/wire/gen/grpc/health/v1/health_pb.ts';

export const registerHealth = (router: ConnectRouter, services: readonly string[]): void => {
  const known = (service: string): boolean => service === '' || services.includes(service);
  router.service(Health, {
    check: ({service}) => {
      if (!known(service)) throw new ConnectError(`unknown service ${service}`, Code.NotFound);
      return {status: HealthCheckResponse_ServingStatus.SERVING};
    },
    watch: async function* ({service}, {signal}) {
      const {SERVING, SERVICE_UNKNOWN} = HealthCheckResponse_ServingStatus;
      yield {status: known(service) ? SERVING : SERVICE_UNKNOWN};
      await new Promise<void>(resolve => {
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve(), {once: true});
      });
    },
  });
};
