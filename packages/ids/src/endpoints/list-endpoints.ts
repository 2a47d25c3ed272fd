// SPDX-License-Identifier: Apache-2.0
import {ENDPOINT_LIST, formatLocationName, type IdsEndpointMessage, WILDCARD} from '@palisade/ids-wire';
import type {Caller} from '../auth.ts';
import {cutPage, type ListPage, type ListRequest, parseListRequest} from '../list-page.ts';
import {demandLocation, parentOf} from '../names/names.ts';
import {type Scope, scopeOf} from '../names/scope.ts';
import type {Service} from '../state/service.ts';
import {messageOfEndpoint} from './render.ts';

/** One location, `locations/-`, or (ours) all projects with `projects/-`. Throws INVALID_ARGUMENT, PERMISSION_DENIED, NOT_FOUND. */
export const listEndpoints = async (
  service: Service,
  caller: Caller,
  request: ListRequest & {readonly parent: string},
): Promise<ListPage<IdsEndpointMessage>> => {
  const parent = parentOf(request.parent);
  await caller.demand('ids.endpoints.list', {project: parent.project, resource: formatLocationName(parent)});
  const query = parseListRequest(request, ENDPOINT_LIST, ['endpoints', request.parent]);
  const {endpoints} = service.state;
  const scope = scopeOf(parent, 'endpoints');
  if (parent.location !== WILDCARD && endpoints.count(scope.prefix) === 0) demandLocation(service, parent);
  return cutPage(
    query,
    after => messages(service, scope, after),
    message => message.name,
  );
};

function* messages(service: Service, scope: Scope, after: string): Generator<IdsEndpointMessage> {
  for (const record of service.state.endpoints.range(scope.prefix, after))
    if (scope.holds(record.name)) yield messageOfEndpoint(service, record);
}
