// SPDX-License-Identifier: Apache-2.0
import {dependencyUrns, type ResourceState} from './resource-state.ts';
import {formatReference, isProviderType} from './urn.ts';

/** The same in an order in which nothing comes before what it needs; otherwise as it was. */
export function dependenciesFirst(states: readonly ResourceState[]): readonly ResourceState[] {
  const live = new Map(states.filter(state => !state.delete).map(state => [state.urn, state]));
  // A provider that was replaced is still that of whoever was left alone.
  const providers = new Map(
    states.filter(({type}) => isProviderType(type)).map(state => [formatReference(state), state]),
  );
  const ordered = new Set<ResourceState>();
  const visited = new Set<ResourceState>();
  const visit = (state: ResourceState): void => {
    if (visited.has(state)) return;
    visited.add(state);
    if (!state.delete)
      for (const needed of [...[...dependencyUrns(state)].map(urn => live.get(urn)), providers.get(state.provider)])
        if (needed !== undefined) visit(needed);
    ordered.add(state);
  };
  for (const state of states) visit(state);
  return [...ordered];
}
