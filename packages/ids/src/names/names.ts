// SPDX-License-Identifier: Apache-2.0
/** Names that requests carry, as parts or as refusals. */
import {
  type EndpointName,
  formatLocationName,
  type LocationName,
  parseIdsEndpointName,
  parseLocationName,
  WILDCARD,
} from '@palisade/ids-wire';
import {invalidArgument, LOCATION_TYPE, notFound, RpcError} from '../rpc-error.ts';
import type {Service} from '../state/service.ts';

const LOCATIONS_SHOWN_MAX = 10;

/** `projects/{p}/locations/{l}`; `-` allowed. Throws INVALID_ARGUMENT. */
export const parentOf = (text: string): LocationName => {
  const parent = parseLocationName(text);
  if (parent !== undefined) return parent;
  throw invalidArgument([
    {field: 'parent', description: `"${text}" is not of the form projects/PROJECT/locations/LOCATION`},
  ]);
};

/** The name of one endpoint. Throws INVALID_ARGUMENT for another form and for `-`. */
export const endpointNameOf = (text: string): EndpointName => {
  const name = parseIdsEndpointName(text);
  const form = 'projects/PROJECT/locations/LOCATION/endpoints/ENDPOINT';
  if (name === undefined) throw invalidArgument([{field: 'name', description: `"${text}" is not of the form ${form}`}]);
  if ([name.project, name.location, name.endpointId].includes(WILDCARD))
    throw invalidArgument([
      {field: 'name', description: `"${text}": "-" cannot stand for one endpoint's project, location or id`},
    ]);
  return name;
};

/** Throws NOT_FOUND for a location that this server does not have. */
export const demandLocation = (service: Service, parent: LocationName): void => {
  if (service.locations.has(parent.location)) return;
  const known = [...service.locations.keys()];
  const shown = known.slice(0, LOCATIONS_SHOWN_MAX).join(', ');
  const more = known.length > LOCATIONS_SHOWN_MAX ? ` and ${known.length - LOCATIONS_SHOWN_MAX} more` : '';
  const error = notFound(formatLocationName(parent), LOCATION_TYPE);
  throw new RpcError('NOT_FOUND', `${error.message}; this server has the locations ${shown}${more}`, error.details);
};
