// SPDX-License-Identifier: Apache-2.0
/**
 * Replacements. Create first (default): the old object is marked and deleted after the program ended. Delete first: everything that
 * would have to be replaced because of it goes before it, in reverse dependency order, and is created again when the program names it.
 * Ref: Pulumi step_generator calculateDependentReplacements.
 */
import {type PropertyMap, type PropertyValue, UNKNOWN} from '@palisade/provider';
import {dependencyUrns, type ResourceState} from '../../state/resource-state.ts';
import {isProviderType, parseReference} from '../../state/urn.ts';
import type {Run} from '../run.ts';
import {deleteObject, waysToUnprotect} from './delete.ts';
import {judgeDiff} from './judge-diff.ts';

type DependentReplacement = {readonly state: ResourceState; readonly keys: readonly string[]};

/** Deletes what depends on `old` and then `old` itself; all of them stay in the state as pending replacements. */
export async function deleteBeforeReplace(run: Run, old: ResourceState): Promise<void> {
  const dependents = await dependentReplacements(run, old);
  const blocked = dependents.find(({state}) => state.protect && !run.deletedEarly.has(state));
  if (blocked !== undefined)
    throw run.fail(
      old.urn,
      new Error(
        `unable to replace resource "${blocked.state.urn}" as part of replacing "${old.urn}" as it is currently marked for ` +
          `protection. To unprotect the resource, ${waysToUnprotect(blocked.state.urn)}`,
      ),
    );
  assertTakingPart(run, old, dependents);
  const deleted = new Set([old, ...dependents.map(({state}) => state)].map(({urn}) => urn));
  // Marked all at once, before anything is awaited: another replacement that is planned meanwhile sees them.
  const order = [...dependents].reverse();
  let chain: Promise<void> = Promise.resolve();
  for (const {state, keys} of order) {
    run.replaceKeys.set(state.urn, keys);
    const earlier = run.deletedEarly.get(state);
    const before = chain;
    const deletion = earlier ?? before.then(() => deletePending(run, state, deleted));
    if (earlier === undefined) run.deletedEarly.set(state, deletion);
    chain = Promise.all([before, deletion]).then(() => undefined);
  }
  chain.catch(() => undefined); // awaited below, and by the step that creates the dependents again
  await chain;
  if (!old.pendingReplacement) await deletePending(run, old, deleted);
}

/** The CLI deletes them and does not create them again. A preview reports it and continues. */
function assertTakingPart(run: Run, old: ResourceState, dependents: readonly DependentReplacement[]): void {
  const left = dependents.filter(({state}) => !run.selection.includes(state.urn, dependencyUrns(state)));
  if (left.length === 0) return;
  const names = left.map(({state}) => `'${state.urn}'`).join(', ');
  run.refuse(old.urn, `Cannot replace '${old.urn}' as that deletes ${names} which was ${run.options.targets.whyLeft}.`);
}

async function deletePending(run: Run, state: ResourceState, deleted: ReadonlySet<string>): Promise<void> {
  if (state.pendingReplacement) return;
  await deleteObject(run, state, {op: 'delete-replaced', keepAs: 'pending-replacement', deleted});
}

/** In dependency order. */
async function dependentReplacements(run: Run, root: ResourceState): Promise<readonly DependentReplacement[]> {
  const replaced = new Set([root.urn]);
  const found: DependentReplacement[] = [];
  for (const state of run.options.prior) {
    // A resource that the program named already cannot depend on the root any more.
    if (state === root || state.delete || run.registered.has(state.urn)) continue;
    if (![...dependencyUrns(state)].some(urn => replaced.has(urn))) continue;
    const keys = await replacementKeys(run, state, replaced);
    if (keys === undefined) continue;
    found.push({state, keys});
    replaced.add(state.urn);
  }
  return found;
}

/** undefined: it need not be replaced. */
async function replacementKeys(
  run: Run,
  state: ResourceState,
  replaced: ReadonlySet<string>,
): Promise<readonly string[] | undefined> {
  if (!state.custom || state.external) return undefined;
  if (state.provider !== '' && replaced.has(parseReference(state.provider).urn)) return [];
  if (replaced.has(state.deletedWith)) return []; // it goes with that one
  const inputs: Record<string, PropertyValue> = {...state.inputs};
  let touched = false;
  for (const [key, urns] of Object.entries(state.propertyDependencies)) {
    if (!(key in inputs) || !urns.some(urn => replaced.has(urn))) continue;
    inputs[key] = UNKNOWN;
    touched = true;
  }
  if (!touched) return undefined;
  const judgement = judgeDiff(await diffWithUnknowns(run, state, inputs), state.replaceOnChanges, false);
  return judgement.action === 'replace' ? judgement.replaceReasons : undefined;
}

async function diffWithUnknowns(run: Run, state: ResourceState, news: PropertyMap) {
  if (isProviderType(state.type)) return run.options.providers.diff(state, {...state, inputs: news}, []);
  const provider = await run.options.providers.get(state.provider);
  return provider.diff({
    urn: state.urn,
    id: state.id,
    olds: state.outputs,
    oldInputs: state.inputs,
    news,
    ignoreChanges: state.ignoreChanges,
  });
}
