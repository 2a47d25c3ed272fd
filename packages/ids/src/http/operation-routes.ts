// SPDX-License-Identifier: Apache-2.0
import {encodeOperation} from '@palisade/ids-wire';
import {cancelOperation, deleteOperation, getOperation, listOperations} from '../operations/operations.ts';
import {invalidArgument} from '../rpc-error.ts';
import {sendJson} from './answer.ts';
import {listRequestOf} from './endpoint-routes.ts';
import {readJson} from './exchange.ts';
import {type Call, pathPattern, type Route} from './routes.ts';

const list = async (call: Call): Promise<void> => {
  const {service, caller, query} = call;
  const page = await listOperations(service, caller, {...listRequestOf(query), parent: call.name});
  sendJson(call.response, query, {
    ...(page.items.length > 0 ? {operations: page.items.map(o => encodeOperation(o, query.enums))} : {}),
    ...(page.nextPageToken === '' ? {} : {nextPageToken: page.nextPageToken}),
  });
};

const get = async (call: Call): Promise<void> => {
  const message = await getOperation(call.service, call.caller, call.name);
  sendJson(call.response, call.query, encodeOperation(message, call.query.enums));
};

const cancel = async (call: Call): Promise<void> => {
  const body = await readJson(call.request);
  // `name` is a field of CancelOperationRequest (google.longrunning's clients for Go send it); the path decides.
  const unknown =
    typeof body === 'object' && body !== null ? Object.keys(body).filter(key => key !== 'name') : ['body'];
  if (unknown.length > 0)
    throw invalidArgument(
      unknown.map(name => ({field: name, description: `Unknown name "${name}": Cannot find field.`})),
    );
  await cancelOperation(call.service, call.caller, call.name);
  sendJson(call.response, call.query, {});
};

const remove = async (call: Call): Promise<void> => {
  await deleteOperation(call.service, call.caller, call.name);
  sendJson(call.response, call.query, {});
};

const COLLECTION = pathPattern('projects/*/locations/*/operations', 4);
const OPERATION = /^(projects\/[^/]+\/locations\/[^/]+\/operations\/[^/:]+)$/;
const CANCEL = /^(projects\/[^/]+\/locations\/[^/]+\/operations\/[^/:]+):cancel$/;

export const OPERATION_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: COLLECTION,
    parameters: ['filter', 'pageSize', 'pageToken', 'returnPartialSuccess', 'name'],
    handle: list,
  },
  {method: 'GET', path: OPERATION, parameters: [], handle: get},
  {method: 'DELETE', path: OPERATION, parameters: [], handle: remove},
  {method: 'POST', path: CANCEL, parameters: [], handle: cancel},
];
