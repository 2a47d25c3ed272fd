// SPDX-License-Identifier: Apache-2.0
/** What a request for records asks: of which endpoints, from when on, matching what. */
import {
  type EndpointName,
  formatIdsEndpointName,
  parseIdsEndpointName,
  parseTimestamp,
  type RecordKind,
  WILDCARD,
} from '@palisade/ids-wire';
import type {Caller, Permission} from '../auth.ts';
import {ENDPOINT_TYPE, invalidArgument, notFound} from '../rpc-error.ts';
import type {Service} from '../state/service.ts';
import type {RecordStore} from './record-store.ts';

const PERMISSION = {threats: 'ids.threats.list', traffic: 'ids.traffic.list'} as const;

/** The name that `text` is, in which `-` may stand for parts. Throws INVALID_ARGUMENT, PERMISSION_DENIED. */
export const demandEndpoint = async (caller: Caller, text: string, permission: Permission): Promise<EndpointName> => {
  const name = parseIdsEndpointName(text);
  if (name === undefined)
    throw invalidArgument([{field: 'name', description: `"${text}" is not the name of an endpoint`}]);
  await caller.demand(permission, {
    project: name.project,
    resource: text,
    ...(name.endpointId === WILDCARD ? {} : {id: name.endpointId}),
  });
  return name;
};

/** The same for reading records. */
export const demandRecords = (caller: Caller, text: string, kind: RecordKind): Promise<EndpointName> =>
  demandEndpoint(caller, text, PERMISSION[kind]);

type Known = {readonly service: Service; readonly records: RecordStore};

/** Throws NOT_FOUND for one endpoint that is not there and has left no records. */
export const demandKnown = async (deps: Known, name: EndpointName): Promise<void> => {
  if ([name.project, name.location, name.endpointId].includes(WILDCARD)) return;
  const full = formatIdsEndpointName(name);
  const known = deps.service.state.endpoints.get(full) !== undefined || (await deps.records.has(full));
  if (!known) throw notFound(full, ENDPOINT_TYPE);
};

/**
 * The endpoints that a name stands for; `-` may stand for the project, the location and the id. Throws INVALID_ARGUMENT,
 * PERMISSION_DENIED, and NOT_FOUND as `demandKnown` does.
 */
export const recordScope = async (
  deps: Known,
  caller: Caller,
  text: string,
  kind: RecordKind,
): Promise<EndpointName> => {
  const name = await demandRecords(caller, text, kind);
  await demandKnown(deps, name);
  return name;
};

/** Milliseconds of `since` or `until`; undefined when absent. Throws INVALID_ARGUMENT. */
export const timeParameter = (field: 'since' | 'until', text: string | undefined): number | undefined => {
  if (text === undefined || text === '') return undefined;
  const ms = parseTimestamp(text);
  if (ms !== undefined) return ms;
  throw invalidArgument([{field, description: `"${text}" is not an RFC 3339 time such as 2024-05-27T22:22:32Z`}]);
};
