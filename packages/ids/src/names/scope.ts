// SPDX-License-Identifier: Apache-2.0
import {formatLocationName, type LocationName, WILDCARD} from '@palisade/ids-wire';

export type Scope = {
  /** What all names of the scope begin with. */
  readonly prefix: string;
  /** Whether a name with that prefix is in the scope. */
  readonly holds: (name: string) => boolean;
};

/** The names below a parent, with `-` for any project or location. */
export const scopeOf = (parent: LocationName, collection: 'endpoints' | 'operations'): Scope => {
  const anyProject = parent.project === WILDCARD;
  const anyLocation = parent.location === WILDCARD;
  if (!anyProject && !anyLocation) return {prefix: `${formatLocationName(parent)}/${collection}/`, holds: () => true};
  if (!anyProject) return {prefix: `projects/${parent.project}/locations/`, holds: () => true};
  if (anyLocation) return {prefix: 'projects/', holds: () => true};
  const middle = `/locations/${parent.location}/${collection}/`;
  return {prefix: 'projects/', holds: name => name.includes(middle)};
};
