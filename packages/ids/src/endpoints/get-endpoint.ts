// SPDX-License-Identifier: Apache-2.0
import {formatIdsEndpointName} from '@palisade/ids-wire';
import type {Caller} from '../auth.ts';
import type {EndpointRecord} from '../model/endpoint-record.ts';
import {endpointNameOf} from '../names/names.ts';
import {ENDPOINT_TYPE, notFound} from '../rpc-error.ts';
import type {Held} from '../state/collection.ts';
import type {Service} from '../state/service.ts';

/** Throws INVALID_ARGUMENT, PERMISSION_DENIED, NOT_FOUND. */
export const getEndpoint = async (service: Service, caller: Caller, text: string): Promise<EndpointRecord> => {
  const name = endpointNameOf(text);
  await caller.demand('ids.endpoints.get', {project: name.project, resource: text, id: name.endpointId});
  return heldEndpoint(service, formatIdsEndpointName(name)).record;
};

export const heldEndpoint = (service: Service, name: string): Held<EndpointRecord> => {
  const held = service.state.endpoints.get(name);
  if (held === undefined) throw notFound(name, ENDPOINT_TYPE);
  return held;
};
