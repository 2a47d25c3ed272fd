// SPDX-License-Identifier: Apache-2.0
/**
 * References of resources to others that left the state. A child moves up to the nearest ancestor that is still there and keeps its
 * URN; any other reference goes. Ref: Pulumi pkg/resource/deploy/deployment_executor.go, rebuildBaseState, undangleParentResources.
 */
import {dependenciesFirst} from './order.ts';
import {type ResourceState, replacedWith} from './resource-state.ts';
import {ROOT_STACK_TYPE} from './urn.ts';

/**
 * Changes the states of `after` in place. `before`: dependencies first; `after[i]`: what `before[i]` became, undefined when it left. A URN
 * counts as there as soon as one resource of that URN is: a replaced object has the URN of its successor.
 */
export function repairReferences(
  before: readonly ResourceState[],
  after: readonly (ResourceState | undefined)[],
): void {
  const there = new Set<string>();
  /** By URN of a resource that left: the parent that its children get. */
  const parents = new Map<string, string>();
  const root = before.find((state, i) => state.type === ROOT_STACK_TYPE && after[i] !== undefined)?.urn ?? '';
  const parentOf = (urn: string): string => (urn === '' || there.has(urn) ? urn : (parents.get(urn) ?? root));
  before.forEach((old, i) => {
    const state = after[i];
    if (state === undefined) {
      parents.set(old.urn, parentOf(old.parent));
      return;
    }
    state.parent = parentOf(state.parent);
    keepReferences(state, there);
    there.add(state.urn);
  });
}

/** Properties that depend on nothing go too, as with the CLI. */
function keepReferences(state: ResourceState, there: ReadonlySet<string>): void {
  const kept = (urns: readonly string[]): readonly string[] => urns.filter(urn => there.has(urn));
  state.dependencies = kept(state.dependencies);
  state.propertyDependencies = Object.fromEntries(
    Object.entries(state.propertyDependencies)
      .map(([key, urns]) => [key, kept(urns)] as const)
      .filter(([, urns]) => urns.length > 0),
  );
  if (!there.has(state.deletedWith)) state.deletedWith = '';
  const partners = replacedWith(state);
  if (partners.length > 0) state.extra = {...state.extra, replaceWith: kept(partners)};
}

/** The same resources, dependencies first and without references to what is missing. What else is wrong (duplicates, providers) stays. */
export function repaired(resources: readonly ResourceState[]): readonly ResourceState[] {
  const ordered = dependenciesFirst(resources.map(state => ({...state})));
  repairReferences(ordered, ordered);
  return dependenciesFirst(ordered); // a child that moved up may be before its new parent
}
