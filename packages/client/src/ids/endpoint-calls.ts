// SPDX-License-Identifier: Apache-2.0
/** What our server adds to one endpoint, and to the rights of a caller. Each method throws as those of IdsClient. */
import type {EndpointFiguresMessage, IdsPermission, MirrorSetUpMessage} from '@palisade/ids-wire';
import type {HttpRequest} from '../http/contract.ts';
import {resourcePath} from './resource-path.ts';

type CallOptions = {readonly signal?: AbortSignal | undefined};

export type FigureOptions = CallOptions & {
  /** RFC 3339: from then on; default: the last hour. */
  readonly since?: string | undefined;
  /** RFC 3339: before then; default: now. */
  readonly until?: string | undefined;
  /** Width of a sample, such as 10s, 5m or 1h; default: chosen by the server. */
  readonly step?: string | undefined;
};

export interface EndpointCalls {
  /** Packets, bytes and loss of an endpoint over time: at most 7 days back, the last hour in steps of 10 s. */
  getFigures(name: string, options?: FigureOptions): Promise<EndpointFiguresMessage>;
  /** The commands that mirror traffic to an endpoint. FAILED_PRECONDITION while it has no address. */
  getMirrorSetUp(
    name: string,
    options?: CallOptions & {
      readonly target?: 'linux' | 'aws' | 'gcp' | 'all' | undefined;
      /** Interface in the commands for Linux; default eth0. */
      readonly from?: string | undefined;
    },
  ): Promise<MirrorSetUpMessage>;
  /** Those of `permissions` that the caller has on a location or an endpoint, whether it exists or not; `-` may stand for parts of the name. */
  testPermissions(
    name: string,
    permissions: readonly IdsPermission[],
    options?: CallOptions,
  ): Promise<readonly IdsPermission[]>;
}

export const endpointCalls = (call: <T>(request: HttpRequest) => Promise<T>): EndpointCalls => ({
  getFigures: (name, {signal, ...query} = {}) =>
    call({method: 'GET', path: resourcePath(`${name}/figures`), query, signal}),
  getMirrorSetUp: (name, {signal, ...query} = {}) =>
    call({method: 'GET', path: resourcePath(`${name}/mirrorSetUp`), query, signal}),
  testPermissions: async (name, permissions, options) => {
    const answer = await call<{permissions?: readonly IdsPermission[]}>({
      method: 'POST',
      path: `${resourcePath(name)}:testIamPermissions`,
      body: JSON.stringify({permissions}),
      signal: options?.signal,
    });
    return answer.permissions ?? [];
  },
});
