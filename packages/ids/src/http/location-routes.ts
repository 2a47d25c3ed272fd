// SPDX-License-Identifier: Apache-2.0
import {getLocation, listLocations} from '../locations/locations.ts';
import {sendJson} from './answer.ts';
import {listRequestOf} from './endpoint-routes.ts';
import {type Call, pathPattern, type Route} from './routes.ts';

const list = async (call: Call): Promise<void> => {
  const {orderBy: _, ...request} = listRequestOf(call.query);
  const page = await listLocations(call.service, call.caller, {...request, name: call.name});
  sendJson(call.response, call.query, {
    ...(page.items.length > 0 ? {locations: page.items} : {}),
    ...(page.nextPageToken === '' ? {} : {nextPageToken: page.nextPageToken}),
  });
};

const get = async (call: Call): Promise<void> =>
  sendJson(call.response, call.query, await getLocation(call.service, call.caller, call.name));

export const LOCATION_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: pathPattern('projects/*/locations', 2),
    parameters: ['filter', 'pageSize', 'pageToken', 'extraLocationTypes', 'includeUnrevealedLocations'],
    handle: list,
  },
  {method: 'GET', path: pathPattern('projects/*/locations/*', 4), parameters: [], handle: get},
];
