// SPDX-License-Identifier: Apache-2.0
/**
 * Refresh: every object is read; what was changed from outside goes into the state (inputs and outputs), what is gone leaves it.
 * A difference is what the next `up` of an unchanged program would do, turned round. Ref: Pulumi RefreshStep.
 */
import {concealProperties, type DiffResult, type PropertyMap, ResourceInitError} from '@palisade/provider';
import {repairReferences} from '../../state/repair.ts';
import {dependencyUrns, type ResourceState} from '../../state/resource-state.ts';
import {isProviderType} from '../../state/urn.ts';
import type {Step} from '../events.ts';
import {type Run, StepFailure} from '../run.ts';
import {invertDiff, sameProperties} from './judge-diff.ts';

/** Returns the state after: in a preview without writing it. */
export async function refreshAll(run: Run): Promise<readonly ResourceState[]> {
  const {prior} = run.options;
  const covered = prior.map(state => run.selection.covers(state.urn, dependencyUrns(state)));
  const results = await Promise.all(prior.map((state, i) => refreshOne(run, state, {covered: covered[i] === true})));
  repairReferences(prior, results);
  return results.filter(state => state !== undefined);
}

/** undefined: the object is gone. The state itself when nothing could or should be read. */
async function refreshOne(
  run: Run,
  old: ResourceState,
  {covered}: {readonly covered: boolean},
): Promise<ResourceState | undefined> {
  if (!covered) return old;
  if (!old.custom || isProviderType(old.type) || old.pendingReplacement) {
    if (old.delete) return old;
    if (run.dryRun) run.begin({op: 'refresh', urn: old.urn, old, next: old});
    run.end({op: 'same', urn: old.urn, old, next: old});
    return old;
  }
  return run.slots.run(async () => {
    if (run.cancelled || run.stopped) return old;
    run.begin({op: 'refresh', urn: old.urn, old, next: old});
    try {
      return await readAndCompare(run, old);
    } catch (error) {
      run.stepFailed({op: 'refresh', urn: old.urn, old});
      if (!(error instanceof StepFailure)) run.fail(old.urn, error);
      return old;
    }
  });
}

async function readAndCompare(run: Run, old: ResourceState): Promise<ResourceState | undefined> {
  const provider = await run.options.providers.get(old.provider);
  const {urn, id, outputs: properties, inputs} = old;
  const {read, initErrors} = await readTolerantly(run, () => provider.read({urn, id, properties, inputs}), old);
  if (read.id === '') {
    run.end({op: 'delete', urn, old});
    return undefined;
  }
  const next: ResourceState = {...old, id: read.id, inputs: read.inputs, outputs: read.properties, initErrors};
  // What was secret stays secret, whatever the provider answers.
  next.inputs = concealProperties(next.inputs, old.inputs);
  next.outputs = concealProperties(next.outputs, old.outputs);
  const changed = !sameProperties(old.inputs, next.inputs) || !sameProperties(old.outputs, next.outputs);
  if (changed && !run.dryRun) next.modified = run.now();
  let diff: DiffResult | undefined;
  if (!old.external)
    diff = await provider.diff({
      urn,
      id: next.id,
      olds: next.outputs,
      oldInputs: next.inputs,
      news: old.inputs,
      ignoreChanges: old.ignoreChanges,
    });
  const drifted = diff === undefined ? !sameProperties(old.outputs, next.outputs) : diff.changes === 'some';
  const step: Step = {
    op: drifted ? 'update' : 'same',
    urn,
    old,
    next,
    diffReasons: diff?.diffs,
    detailedDiff: diff === undefined ? undefined : invertDiff(diff.detailedDiff),
  };
  run.end(step);
  return next;
}

async function readTolerantly(
  run: Run,
  read: () => Promise<{id: string; properties: PropertyMap; inputs: PropertyMap}>,
  old: ResourceState,
): Promise<{read: {id: string; properties: PropertyMap; inputs: PropertyMap}; initErrors: readonly string[]}> {
  try {
    return {read: await read(), initErrors: []};
  } catch (error) {
    if (!(error instanceof ResourceInitError)) throw error;
    run.report('warning', old.urn, `Refreshed resource is in an unhealthy state:\n* ${error.reasons.join('\n* ')}`);
    return {read: error, initErrors: error.reasons};
  }
}
