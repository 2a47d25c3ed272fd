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

/**
 * Drops references to URNs that exist no more (a refresh found the object gone), and properties that depend on nothing, as the CLI
 * does after a refresh; true when anything was dropped.
 */
export function forgetUrns(state: ResourceState, gone: ReadonlySet<string>): boolean {
  const keep = (urns: readonly string[]): readonly string[] => urns.filter(urn => !gone.has(urn));
  const before = JSON.stringify([state.dependencies, state.propertyDependencies, state.deletedWith]);
  state.dependencies = keep(state.dependencies);
  state.propertyDependencies = Object.fromEntries(
    Object.entries(state.propertyDependencies)
      .map(([key, urns]) => [key, keep(urns)] as const)
      .filter(([, urns]) => urns.length > 0),
  );
  if (gone.has(state.deletedWith)) state.deletedWith = '';
  return before !== JSON.stringify([state.dependencies, state.propertyDependencies, state.deletedWith]);
}
