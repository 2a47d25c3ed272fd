// SPDX-License-Identifier: Apache-2.0
/** google.cloud.ids.v1.IDS: the same handlers as REST, in protobuf. */
import type {ConnectRouter} from '@connectrpc/connect';
import {type EndpointInput, type FieldViolation, SEVERITY_NAMES} from '@palisade/ids-wire';
import {type Endpoint, IDS} from '@palisade/ids-wire/gen/google/cloud/ids/v1/ids_pb.ts';
import {createEndpoint} from '../endpoints/create-endpoint.ts';
import {deleteEndpoint} from '../endpoints/delete-endpoint.ts';
import {getEndpoint} from '../endpoints/get-endpoint.ts';
import {listEndpoints} from '../endpoints/list-endpoints.ts';
import {messageOfEndpoint} from '../endpoints/render.ts';
import {messageOfOperation} from '../operations/operations.ts';
import {type GrpcDeps, method} from './call.ts';
import {toProtoEndpoint, toProtoOperation} from './encode.ts';

const toInput = (endpoint: Endpoint | undefined): {input: EndpointInput; violations: readonly FieldViolation[]} => {
  if (endpoint === undefined) return {input: {}, violations: []};
  const severity = SEVERITY_NAMES[endpoint.severity];
  const description = `${endpoint.severity} is not the number of a severity (0 to 5)`;
  return {
    input: {
      network: endpoint.network,
      severity,
      description: endpoint.description,
      labels: endpoint.labels,
      trafficLogs: endpoint.trafficLogs,
    },
    violations: severity === undefined ? [{field: 'endpoint.severity', description}] : [],
  };
};

export const registerIds = (router: ConnectRouter, deps: GrpcDeps): void => {
  const {service} = deps;
  router.service(IDS, {
    listEndpoints: method(deps, async (caller, request) => {
      const page = await listEndpoints(service, caller, request);
      return {endpoints: page.items.map(toProtoEndpoint), nextPageToken: page.nextPageToken};
    }),
    getEndpoint: method(deps, async (caller, request) =>
      toProtoEndpoint(messageOfEndpoint(service, await getEndpoint(service, caller, request.name))),
    ),
    createEndpoint: method(deps, async (caller, request) => {
      const {input, violations} = toInput(request.endpoint);
      const {parent, endpointId, requestId} = request;
      const record = await createEndpoint(service, caller, {
        parent,
        endpointId,
        requestId,
        endpoint: input,
        violations,
      });
      return toProtoOperation(messageOfOperation(service, record));
    }),
    deleteEndpoint: method(deps, async (caller, {name, requestId}) =>
      toProtoOperation(messageOfOperation(service, await deleteEndpoint(service, caller, {name, requestId}))),
    ),
  });
};
