// SPDX-License-Identifier: Apache-2.0
/** Old state against the checked goal: what has to happen. */
import type {ResourceState} from '../../state/resource-state.ts';
import {isProviderType, parseReference} from '../../state/urn.ts';
import type {Run} from '../run.ts';
import {changedKeys, type Judgement, judgeDiff, replaceBecause, SAME, sameProperties} from './judge-diff.ts';
import type {Registration} from './registration.ts';

export async function compare(run: Run, registration: Registration, old: ResourceState): Promise<Judgement> {
  const {goal, next, provider} = registration;
  if (run.options.targets.mustReplace(next.urn)) return replaceBecause('id');
  if (old.extra['taint'] === true) return replaceBecause('id'); // somebody asked for it: `pulumi state taint`
  if (run.replaced.has(next.deletedWith)) return {...replaceBecause('deletedWith'), diffReasons: []};
  if (isProviderType(goal.type)) {
    const diff = await run.options.providers.diff(old, next, goal.ignoreChanges);
    return judgeDiff(diff, goal.replaceOnChanges, false);
  }
  if (await providerForcesReplacement(run, old, next)) return replaceBecause('provider');
  if (provider === undefined) return compareComponents(old, next);
  const diff = await provider.diff({
    urn: next.urn,
    id: old.id,
    olds: old.outputs,
    oldInputs: old.inputs,
    news: next.inputs,
    ignoreChanges: goal.ignoreChanges,
  });
  return judgeDiff(diff, goal.replaceOnChanges, old.initErrors.length > 0);
}

function compareComponents(old: ResourceState, next: ResourceState): Judgement {
  if (sameProperties(old.inputs, next.inputs)) return SAME;
  return {...SAME, action: 'update', diffReasons: changedKeys(old.inputs, next.inputs)};
}

/** Another provider is fine unless its configuration would look for the objects elsewhere. */
async function providerForcesReplacement(run: Run, old: ResourceState, next: ResourceState): Promise<boolean> {
  if (old.provider === next.provider) return false;
  if (old.provider === '' || next.provider === '') return true;
  const before = run.options.prior.find(state => state.urn === parseReference(old.provider).urn);
  const after = run.news.get(parseReference(next.provider).urn);
  if (before === undefined || after === undefined) return false;
  const diff = await run.options.providers.diff(before, after, []);
  return diff.replaces.length > 0;
}
