// SPDX-License-Identifier: Apache-2.0
import type {PropertyMap, Provider} from '@palisade/provider';
import type {ResourceState} from '../../state/resource-state.ts';
import {isDefaultProvider, isProviderType, parseReference, parseUrn} from '../../state/urn.ts';
import type {Run} from '../run.ts';

/** A provider resource of this run gets its configuration. Throws StepFailure, also for a server that must not be used. */
export async function configureProvider(
  run: Run,
  next: ResourceState,
  inputs: PropertyMap = next.inputs,
): Promise<void> {
  try {
    await assertSameServer(run, await run.options.providers.configure(next, inputs), next.urn);
  } catch (error) {
    throw run.fail(next.urn, error);
  }
}

/**
 * What a provider has so far must be on the server that it names now: asked before anything is made, or imported there. Throws
 * ProviderError.
 */
export async function assertSameServer(run: Run, provider: Provider, providerUrn: string): Promise<void> {
  const objects = run.options.prior.filter(state => isObjectOf(state, providerUrn));
  if (objects.length > 0)
    await provider.assertSameServer?.(objects.map(({urn, outputs}) => ({urn, properties: outputs})));
}

function isObjectOf(state: ResourceState, providerUrn: string): boolean {
  if (!state.custom || state.external || state.pendingReplacement || state.provider === '') return false;
  if (isProviderType(state.type)) return false;
  const {urn} = parseReference(state.provider);
  return urn === providerUrn || (isDefaultProvider(urn) && isSuccessor(urn, providerUrn));
}

/** The name of a default provider changes with the version of its package. */
const isSuccessor = (before: string, after: string): boolean =>
  isDefaultProvider(after) && parseUrn(before).type === parseUrn(after).type;
