// SPDX-License-Identifier: Apache-2.0
/** Asking the provider whether the inputs are fine; all faults are shown, in the CLI's words. */
import {type CheckFailure, getAtPath, type PropertyMap, PropertyPathError, parsePropertyPath} from '@palisade/provider';
import type {ResourceState} from '../../state/resource-state.ts';
import {isProviderType, parseUrn} from '../../state/urn.ts';
import {INTERNAL_KEY} from '../providers/provider-registry.ts';
import {type Run, StepFailure, showValue} from '../run.ts';
import {ignoreChanges, type Registration} from './registration.ts';

/** Fills `next.inputs` with what the provider makes of the program's. `old` undefined: as for a new resource. */
export async function checkInputs(run: Run, registration: Registration, old: ResourceState | undefined): Promise<void> {
  const {goal, next, provider, seed} = registration;
  const news = old === undefined ? goal.inputs : ignoreChanges(goal, old.inputs);
  next.inputs = news;
  if (!isProviderType(goal.type) && provider === undefined) return;
  const olds = old?.inputs ?? {};
  const naming = run.options.autonamer?.decide(next.urn, seed);
  const result =
    provider === undefined
      ? await run.options.providers.check(next, olds)
      : await provider.check({urn: next.urn, olds, news, randomSeed: seed, autonaming: naming?.autonaming});
  if (result.failures.length > 0) {
    for (const failure of result.failures) run.report('error', next.urn, failureMessage(next, failure));
    throw new StepFailure(`resource ${next.urn} is invalid`);
  }
  reportWarnings(run, next, result.warnings);
  next.inputs = provider === undefined ? keepInternal(news, result.inputs) : result.inputs;
}

export function reportWarnings(run: Run, next: ResourceState, warnings: readonly CheckFailure[] = []): void {
  for (const warning of warnings) run.report('warning', next.urn, failureMessage(next, warning));
}

function keepInternal(news: PropertyMap, checked: PropertyMap): PropertyMap {
  const internal = news[INTERNAL_KEY];
  return internal === undefined ? checked : {...checked, [INTERNAL_KEY]: internal};
}

export function failureMessage(state: ResourceState, failure: CheckFailure): string {
  const {name} = parseUrn(state.urn);
  const {property, reason} = failure;
  if (property === '') return `${state.type} resource '${name}' has a problem: ${reason}`;
  const value = showValue(valueAt(state.inputs, property));
  return `${state.type} resource '${name}': property ${property} value {${value}} has a problem: ${reason}`;
}

function valueAt(inputs: PropertyMap, property: string) {
  try {
    return getAtPath(inputs, parsePropertyPath(property));
  } catch (error) {
    if (error instanceof PropertyPathError) return inputs[property];
    throw error;
  }
}
