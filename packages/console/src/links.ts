// SPDX-License-Identifier: Apache-2.0
/** The addresses of the pages, below BASE. Whoever links to a page asks here; the names of search fields are those of its page. */
import {queryOf, type RawSearch} from './routing/search.ts';

/** Where the console is served. */
export const BASE = '/console';

/** `/a/b` of encoded parts, with a search. */
const address = (parts: readonly string[], search: RawSearch = {}): string =>
  `/${parts.map(encodeURIComponent).join('/')}${queryOf(search)}`;

export const links = {
  overview: () => '/',
  endpointsList: (search?: RawSearch) => address(['endpoints'], search),
  endpointsCreate: (search?: RawSearch) => address(['endpoints', 'new'], search),
  endpoints: (namespace: string, name: string, search?: RawSearch) => address(['endpoints', namespace, name], search),
  idsEndpointsList: (search?: RawSearch) => address(['ids', 'endpoints'], search),
  /** By its parts: `projects/P/locations/L/endpoints/E`. */
  idsEndpoint: (project: string, location: string, id: string, search?: RawSearch) =>
    address(['ids', 'endpoints', project, location, id], search),
  /** By its full resource name. */
  idsEndpointOf: (name: string) => {
    const [, project = '', , location = '', , id = ''] = name.split('/');
    return address(['ids', 'endpoints', project, location, id]);
  },
  threats: (search?: RawSearch) => address(['threats'], search),
  /** By its full resource name. `back`: the search of the list it is reached from. */
  threat: (name: string, search?: RawSearch) => address(['threats', 'record'], {name, ...search}),
  traffic: (search?: RawSearch) => address(['traffic'], search),
  rules: (search?: RawSearch) => address(['rules'], search),
  groups: (search?: RawSearch) => address(['groups'], search),
  group: (namespace: string, name: string, search?: RawSearch) => address(['groups', namespace, name], search),
};
