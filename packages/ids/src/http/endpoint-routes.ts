// SPDX-License-Identifier: Apache-2.0
import {Warnings} from '@palisade/apiserver';
import {decodeEndpointInput, encodeOperation} from '@palisade/ids-wire';
import {createEndpoint} from '../endpoints/create-endpoint.ts';
import {deleteEndpoint} from '../endpoints/delete-endpoint.ts';
import {operationWarnings} from '../endpoints/exception-warnings.ts';
import {getEndpoint} from '../endpoints/get-endpoint.ts';
import {listEndpoints} from '../endpoints/list-endpoints.ts';
import {endpointJson, messageOfEndpoint} from '../endpoints/render.ts';
import {updateEndpoint} from '../endpoints/update-endpoint.ts';
import type {ListRequest} from '../list-page.ts';
import type {OperationRecord} from '../model/operation-record.ts';
import {messageOfOperation} from '../operations/operations.ts';
import {sendJson, sendJsonText} from './answer.ts';
import {readJson, recordRequest} from './exchange.ts';
import {int32Of, type Query} from './query.ts';
import {type Call, pathPattern, type Route} from './routes.ts';

export const LIST_PARAMETERS = ['pageSize', 'pageToken', 'filter', 'orderBy'] as const;

export const listRequestOf = (query: Query): ListRequest => ({
  pageSize: int32Of(query.get('pageSize')),
  pageToken: query.get('pageToken') ?? '',
  filter: query.get('filter') ?? '',
  orderBy: query.get('orderBy') ?? '',
});

const sendOperation = ({service, response, query}: Call, record: OperationRecord): void => {
  const warnings = new Warnings();
  for (const text of operationWarnings(service, record)) warnings.add(text);
  if (!warnings.isEmpty) response.setHeader('warning', warnings.toHeaders());
  sendJson(response, query, encodeOperation(messageOfOperation(service, record), query.enums));
};

const list = async (call: Call): Promise<void> => {
  const {service, caller, query} = call;
  const page = await listEndpoints(service, caller, {...listRequestOf(query), parent: call.name});
  const items = page.items.map(message => endpointJson(message, query.enums)).join(',');
  const members = [
    ...(items === '' ? [] : [`"endpoints":[${items}]`]),
    ...(page.nextPageToken === '' ? [] : [`"nextPageToken":${JSON.stringify(page.nextPageToken)}`]),
  ];
  sendJsonText(call.response, query, `{${members.join(',')}}`);
};

const readEndpoint = async ({request}: Call): Promise<ReturnType<typeof decodeEndpointInput>> => {
  const decoded = decodeEndpointInput(await readJson(request));
  if (decoded.violations.length === 0) recordRequest(request, decoded.input);
  return decoded;
};

const create = async (call: Call): Promise<void> => {
  const {input, violations} = await readEndpoint(call);
  const record = await createEndpoint(call.service, call.caller, {
    parent: call.name,
    endpointId: call.query.get('endpointId') ?? '',
    endpoint: input,
    requestId: call.query.get('requestId'),
    violations,
  });
  sendOperation(call, record);
};

const get = async (call: Call): Promise<void> => {
  const record = await getEndpoint(call.service, call.caller, call.name);
  sendJsonText(call.response, call.query, endpointJson(messageOfEndpoint(call.service, record), call.query.enums));
};

const patch = async (call: Call): Promise<void> => {
  const {input, violations} = await readEndpoint(call);
  const record = await updateEndpoint(call.service, call.caller, {
    name: call.name,
    updateMask: call.query.get('updateMask'),
    endpoint: input,
    requestId: call.query.get('requestId'),
    violations,
  });
  sendOperation(call, record);
};

const remove = async (call: Call): Promise<void> => {
  const request = {name: call.name, requestId: call.query.get('requestId')};
  sendOperation(call, await deleteEndpoint(call.service, call.caller, request));
};

const COLLECTION = pathPattern('projects/*/locations/*/endpoints', 4);
const ENDPOINT = pathPattern('projects/*/locations/*/endpoints/*', 6);

export const ENDPOINT_ROUTES: readonly Route[] = [
  {method: 'GET', path: COLLECTION, parameters: LIST_PARAMETERS, handle: list},
  {method: 'POST', path: COLLECTION, parameters: ['endpointId', 'requestId'], handle: create},
  {method: 'GET', path: ENDPOINT, parameters: [], handle: get},
  {method: 'PATCH', path: ENDPOINT, parameters: ['updateMask', 'requestId'], handle: patch},
  {method: 'DELETE', path: ENDPOINT, parameters: ['requestId'], handle: remove},
];
