// SPDX-License-Identifier: Apache-2.0
/**
 * Edits of a state by hand: resources are taken out, or get another name. Nothing is asked of a provider.
 * Ref: Pulumi pkg/resource/edit operations.go, pkg/resource/graph dependency_graph.go, cmd/pulumi/state state_rename.go.
 */
import {EngineError} from '../engine-error.ts';
import {renameUrn} from './rename.ts';
import {type ResourceState, replacedWith} from './resource-state.ts';
import {makeUrn, parseReference, parseUrn, urnName} from './urn.ts';

type Resources = readonly ResourceState[];

type Found = {readonly resources: Resources; readonly urn: string; readonly hint: string};

/** The one resource of this URN. Throws if it does not exist (`hint`: what to do), or more than one: what is yet to be deleted counts. */
export function resourceOf({resources, urn, hint}: Found): ResourceState {
  const [found, ...others] = resources.filter(state => state.urn === urn);
  if (found === undefined) throw new EngineError(`no resource '${urn}' in the state of the stack; ${hint}`);
  if (others.length > 0)
    throw new EngineError(
      `'${urn}' is ambiguous: the state has it with the ids ${[found, ...others].map(({id}) => id).join(', ')}; ` +
        'the next `palisade up` or `destroy` deletes those that are pending deletion',
    );
  return found;
}

/** What is there only because of `state`, directly or not, in the order of the state. */
export function dependentsOf(resources: Resources, state: ResourceState): ResourceState[] {
  const at = resources.indexOf(state);
  /** Ids by URN: a replaced object has the URN of its successor. */
  const [dependent, others] = [new Map<string, string[]>(), new Map<string, string[]>()];
  const add = (ids: Map<string, string[]>, {urn, id}: ResourceState) => ids.set(urn, [...(ids.get(urn) ?? []), id]);
  const isOnly = (urn: string, max: number): boolean => {
    const count = dependent.get(urn)?.length ?? 0;
    return count > 0 && count <= max && !others.has(urn);
  };
  const depends = (candidate: ResourceState): boolean => {
    if (candidate.urn === state.urn && candidate.id === state.id) return false;
    if (isOnly(candidate.parent, Number.POSITIVE_INFINITY)) return true;
    const properties = Object.values(candidate.propertyDependencies).flat();
    const needed = [...candidate.dependencies, ...properties, candidate.deletedWith, ...replacedWith(candidate)];
    if (needed.some(urn => isOnly(urn, 1))) return true;
    if (candidate.provider === '') return false;
    const {urn, id} = parseReference(candidate.provider);
    return dependent.get(urn)?.includes(id) === true;
  };
  add(dependent, state);
  for (const candidate of resources.slice(0, at)) add(others, candidate);
  return resources.slice(at + 1).filter(candidate => {
    const isDependent = depends(candidate);
    add(isDependent ? dependent : others, candidate);
    return isDependent;
  });
}

export type Removal = {
  /** What depends on it goes along. */
  readonly dependents: boolean;
  /** Called for a protected resource; throws when it must stay. */
  readonly onProtected: (state: ResourceState) => void;
};

/** The resources without `condemned`. Throws when others depend on one and are not condemned too. */
export function removeResources(resources: Resources, condemned: ReadonlySet<ResourceState>, how: Removal): Resources {
  let left = resources;
  // Backwards, as what depends on a resource comes after it.
  for (const state of resources.filter(each => condemned.has(each)).reverse())
    if (left.includes(state)) left = removeOne(left, state, how);
  return left;
}

function removeOne(resources: Resources, state: ResourceState, how: Removal): Resources {
  const dependents = dependentsOf(resources, state);
  if (state.protect) how.onProtected(state);
  if (dependents.length > 0 && !how.dependents)
    throw new EngineError(
      [
        `${state.urn} cannot be deleted safely, as these resources depend on it:`,
        ...dependents.map(({urn}) => `  ${urnName(urn)} (${urn})`),
        'delete them first, or give --target-dependents',
      ].join('\n'),
    );
  for (const dependent of dependents) if (dependent.protect) how.onProtected(dependent);
  const gone = new Set([state, ...dependents]);
  return resources.filter(each => !gone.has(each));
}

/** Gives `state` another name, in place, and in everything that mentions it. Properties that depend on nothing go, as with the CLI. */
export function renameResource(resources: Resources, state: ResourceState, name: string): void {
  const {stack, project, qualifiedType} = parseUrn(state.urn);
  const from = state.urn;
  const to = makeUrn({stack, project, parent: '', type: qualifiedType, name});
  if (from === to) return;
  if (resources.some(({urn}) => urn === to)) throw new EngineError(`the stack already has a resource '${to}'`);
  for (const each of resources) {
    renameUrn(each, from, to);
    if (each !== state) dropEmptyDependencies(each);
  }
}

function dropEmptyDependencies(state: ResourceState): void {
  const kept = Object.entries(state.propertyDependencies).filter(([, urns]) => urns.length > 0);
  state.propertyDependencies = Object.fromEntries(kept);
}
