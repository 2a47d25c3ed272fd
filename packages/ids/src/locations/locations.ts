// SPDX-License-Identifier: Apache-2.0
/** google.cloud.location.Locations over the configured locations; every project sees the same ones. */
import {
  formatLocationName,
  LOCATION_LIST,
  type LocationMessage,
  parseLocationName,
  parseProjectName,
  toLocationMessage,
} from '@palisade/ids-wire';
import type {Caller} from '../auth.ts';
import {cutPage, type ListPage, type ListRequest, parseListRequest} from '../list-page.ts';
import {invalidArgument, LOCATION_TYPE, notFound} from '../rpc-error.ts';
import type {Service} from '../state/service.ts';

/** Throws INVALID_ARGUMENT, PERMISSION_DENIED, NOT_FOUND. */
export const getLocation = async (service: Service, caller: Caller, text: string): Promise<LocationMessage> => {
  const name = parseLocationName(text);
  if (name === undefined)
    throw invalidArgument([
      {field: 'name', description: `"${text}" is not of the form projects/PROJECT/locations/LOCATION`},
    ]);
  await caller.demand('ids.locations.get', {project: name.project, resource: text, id: name.location});
  const location = service.locations.get(name.location);
  if (location === undefined) throw notFound(formatLocationName(name), LOCATION_TYPE);
  return toLocationMessage(name.project, location.id, location.displayName ?? location.id);
};

export const listLocations = async (
  service: Service,
  caller: Caller,
  request: Omit<ListRequest, 'orderBy'> & {readonly name: string},
): Promise<ListPage<LocationMessage>> => {
  const project = parseProjectName(request.name);
  if (project === undefined)
    throw invalidArgument([{field: 'name', description: `"${request.name}" is not of the form projects/PROJECT`}]);
  await caller.demand('ids.locations.list', {project, resource: request.name});
  const query = parseListRequest({...request, orderBy: ''}, LOCATION_LIST, ['locations', request.name]);
  // In the order of the configuration: the places where a sensor is attached come first.
  const all = [...service.locations.values()].map(l => toLocationMessage(project, l.id, l.displayName ?? l.id));
  const following = (after: string): readonly LocationMessage[] => all.slice(all.findIndex(l => l.name === after) + 1);
  return cutPage(query, following, location => location.name);
};
