// SPDX-License-Identifier: Apache-2.0
/**
 * A resource that was found by an alias, or is renamed by hand, gets its new URN at once in everything that mentions the old one.
 * Leaving the old name anywhere would, runs later, delete the renamed object as if it were another one.
 */
import {type ResourceState, replacedWith} from './resource-state.ts';
import {renameReference} from './urn.ts';

/** Changes `state` in place; true when anything in it mentioned `from`. */
export function renameUrn(state: ResourceState, from: string, to: string): boolean {
  let changed = false;
  const one = (text: string): string => {
    const renamed = renameReference(text, from, to);
    if (renamed !== text) changed = true;
    return renamed;
  };
  state.urn = one(state.urn);
  state.parent = one(state.parent);
  state.provider = one(state.provider);
  state.deletedWith = one(state.deletedWith);
  state.dependencies = state.dependencies.map(one);
  state.propertyDependencies = Object.fromEntries(
    Object.entries(state.propertyDependencies).map(([key, urns]) => [key, urns.map(one)]),
  );
  if (replacedWith(state).length > 0) state.extra = {...state.extra, replaceWith: replacedWith(state).map(one)};
  return changed;
}
