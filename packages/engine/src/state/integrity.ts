// SPDX-License-Identifier: Apache-2.0
/** What must hold of every state before it is used or imported. Ref: Pulumi pkg/resource/deploy/snapshot.go, VerifyIntegrity. */
import {isProvider, type ResourceState} from './resource-state.ts';
import {formatReference, parseReference} from './urn.ts';

/** All faults, in words; empty when the state is sound. Order matters: what is depended upon stands before its dependents. */
export function integrityFaults(resources: readonly ResourceState[]): string[] {
  const faults: string[] = [];
  const seen = new Set<string>();
  const providers = new Set<string>();
  const all = new Set(resources.map(state => state.urn));
  const need = (state: ResourceState, what: string, urn: string): void => {
    if (urn === '' || seen.has(urn)) return;
    faults.push(
      all.has(urn)
        ? `resource ${state.urn}'s ${what} ${urn} comes after it`
        : `resource ${state.urn}'s ${what} ${urn} is missing`,
    );
  };
  for (const state of resources) {
    need(state, 'parent', state.parent);
    for (const urn of new Set([...state.dependencies, ...Object.values(state.propertyDependencies).flat()]))
      need(state, 'dependency', urn);
    need(state, 'deletedWith', state.deletedWith);
    if (state.provider !== '' && !providers.has(state.provider)) {
      const {urn} = parseReference(state.provider);
      faults.push(`resource ${state.urn} refers to unknown provider ${urn}`);
    }
    if (state.custom && !isProvider(state) && state.provider === '')
      faults.push(`resource ${state.urn} has no provider`);
    if (
      !state.delete &&
      seen.has(state.urn) &&
      resources.some(other => other !== state && other.urn === state.urn && !other.delete)
    )
      faults.push(`duplicate resource ${state.urn}`);
    seen.add(state.urn);
    if (isProvider(state)) providers.add(formatReference({urn: state.urn, id: state.id}));
  }
  return faults;
}
