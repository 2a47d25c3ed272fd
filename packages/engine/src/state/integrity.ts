// SPDX-License-Identifier: Apache-2.0
/** What must hold of every state that is read or written. Ref: Pulumi pkg/resource/deploy/snapshot.go, VerifyIntegrity. */
import {StateFault} from '../engine-error.ts';
import {repaired} from './repair.ts';
import {isProvider, type ResourceState, replacedWith} from './resource-state.ts';
import {formatReference, parseReference} from './urn.ts';

/** All faults, in words; empty when the state is sound. Order matters: a resource comes before its dependents. */
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
    for (const urn of replacedWith(state)) need(state, 'replaceWith', urn);
    if (state.provider !== '' && !providers.has(state.provider))
      faults.push(`resource ${state.urn} refers to unknown provider ${parseReference(state.provider).urn}`);
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

const FAULTS_NAMED_MAX = 10;

/** One a line, the first ones. */
export function faultLines(faults: readonly string[]): string {
  const more = faults.length - FAULTS_NAMED_MAX;
  const shown = faults.slice(0, FAULTS_NAMED_MAX).map(fault => `  ${fault}`);
  return [...shown, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n');
}

/** What a repair did, one fault a line, the first ones. */
export function mendedLines(faults: readonly string[]): readonly string[] {
  const more = faults.length - FAULTS_NAMED_MAX;
  const shown = faults.slice(0, FAULTS_NAMED_MAX).map(fault => `repaired: ${fault}`);
  return more > 0 ? [...shown, `repaired: ${more} more`] : shown;
}

/** Throws StateFault with the faults, what came of them (such as `, so nothing was done`), and the way out. */
export function assertSound(resources: readonly ResourceState[], outcome = ', so nothing was done'): void {
  const faults = integrityFaults(resources);
  if (faults.length === 0) return;
  const byHand =
    'run `palisade stack export --file FILE`, correct the file, then run `palisade stack import --file FILE`';
  const wayOut =
    integrityFaults(repaired(resources)).length === 0 ? 'run `palisade state repair` to repair it' : byHand;
  throw new StateFault(`the state is inconsistent${outcome}:\n${faultLines(faults)}\n${wayOut}`);
}
