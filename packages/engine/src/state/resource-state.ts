// SPDX-License-Identifier: Apache-2.0
import type {PropertyMap} from '@palisade/provider';
import {isProviderType, parseReference} from './urn.ts';

/** Seconds. Absent: the provider's own bound. */
export type CustomTimeouts = {create?: number; update?: number; delete?: number};

/**
 * One resource as a deployment knows it; what stands in a state file is its JSON form (see resource-json.ts).
 * Objects of this type are changed in place by the running deployment (`delete`, `pendingReplacement`, outputs); property maps
 * are never changed, only replaced.
 */
export type ResourceState = {
  urn: string;
  type: string;
  custom: boolean;
  /** '' while there is none (components, previews). */
  id: string;
  inputs: PropertyMap;
  outputs: PropertyMap;
  /** '' for the root stack and default providers. */
  parent: string;
  protect: boolean;
  /** Read, not owned: never deleted. */
  external: boolean;
  dependencies: readonly string[];
  propertyDependencies: Readonly<Record<string, readonly string[]>>;
  initErrors: readonly string[];
  /** `<provider urn>::<id>`; '' for components. */
  provider: string;
  /** Deleted by a delete-before-replace, its successor not created yet. */
  pendingReplacement: boolean;
  /** Replaced; the object still exists and is deleted at the end of this or the next run. */
  delete: boolean;
  additionalSecretOutputs: readonly string[];
  customTimeouts: CustomTimeouts;
  importId: string;
  retainOnDelete: boolean;
  deletedWith: string;
  ignoreChanges: readonly string[];
  replaceOnChanges: readonly string[];
  sourcePosition: string;
  /** RFC 3339; '' when unknown. */
  created: string;
  modified: string;
  /** Members of the state file that this engine does not know: written back as they were. */
  extra: Readonly<Record<string, unknown>>;
};

/** What an operation in progress does to its resource. */
export type OperationType = 'creating' | 'updating' | 'deleting' | 'reading';

/** A resource with every member at its empty value. */
export const emptyState = (urn: string, type: string): ResourceState => ({
  urn,
  type,
  custom: false,
  id: '',
  inputs: {},
  outputs: {},
  parent: '',
  protect: false,
  external: false,
  dependencies: [],
  propertyDependencies: {},
  initErrors: [],
  provider: '',
  pendingReplacement: false,
  delete: false,
  additionalSecretOutputs: [],
  customTimeouts: {},
  importId: '',
  retainOnDelete: false,
  deletedWith: '',
  ignoreChanges: [],
  replaceOnChanges: [],
  sourcePosition: '',
  created: '',
  modified: '',
  extra: {},
});

/** `replaceWith` of the CLI, which this engine only keeps: URNs that it is replaced along with. */
export function replacedWith({extra}: ResourceState): readonly string[] {
  const urns = extra['replaceWith'];
  return Array.isArray(urns) ? urns.filter(urn => typeof urn === 'string') : [];
}

/** Every URN that must outlive the resource: parent, dependencies, provider, `deletedWith`. */
export function dependencyUrns(state: ResourceState): Set<string> {
  const urns = new Set<string>(state.dependencies);
  for (const deps of Object.values(state.propertyDependencies)) for (const urn of deps) urns.add(urn);
  if (state.parent !== '') urns.add(state.parent);
  if (state.deletedWith !== '') urns.add(state.deletedWith);
  if (state.provider !== '') urns.add(parseReference(state.provider).urn);
  return urns;
}

/** These and whatever they need, directly or not. `states`: dependencies first. */
export function dependenciesOf(states: readonly ResourceState[], urns: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set(urns);
  for (const state of [...states].reverse())
    if (found.has(state.urn)) for (const urn of dependencyUrns(state)) found.add(urn);
  return found;
}

export const isProvider = (state: {readonly type: string}): boolean => isProviderType(state.type);
