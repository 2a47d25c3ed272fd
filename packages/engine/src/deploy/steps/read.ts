// SPDX-License-Identifier: Apache-2.0
/** ReadResource: an object that the program looks up. It is in the state as external and is never deleted. */

import {UNKNOWN} from '@palisade/provider';
import {EngineError} from '../../engine-error.ts';
import type {ResourceState} from '../../state/resource-state.ts';
import {emptyState} from '../../state/resource-state.ts';
import type {Step} from '../events.ts';
import type {ReadGoal} from '../goal.ts';
import type {Run} from '../run.ts';
import {assertStorable} from './assert-storable.ts';
import {sameProperties} from './judge-diff.ts';
import {carriedExtra, claimUrn, findOld, packageOf} from './registration.ts';
import {concealOutputs} from './secret-outputs.ts';

export async function readResource(run: Run, goal: ReadGoal): Promise<ResourceState> {
  run.assertGoing();
  const parent = run.parentOf(goal.type, goal.parent);
  const urn = claimUrn(run, {...goal, parent});
  try {
    const old = findOld(run, urn, []);
    const provider = goal.provider === '' ? await run.defaults.reference(packageOf(goal.type), goal) : goal.provider;
    const next: ResourceState = {
      ...emptyState(urn, goal.type),
      custom: true,
      external: true,
      id: goal.id ?? '',
      inputs: goal.properties,
      parent,
      dependencies: goal.dependencies,
      provider,
      additionalSecretOutputs: goal.additionalSecretOutputs,
      sourcePosition: goal.sourcePosition,
      created: old?.created ?? '',
      modified: old?.modified ?? '',
      extra: carriedExtra(old, goal.stackTrace),
    };
    await assertStorable(run, 'this resource', {
      values: next.inputs,
      additionalSecretOutputs: next.additionalSecretOutputs,
    });
    await readInto(run, next, old, goal.id);
    run.news.set(urn, next);
    return next;
  } catch (error) {
    throw run.fail(urn, error);
  }
}

async function readInto(
  run: Run,
  next: ResourceState,
  old: ResourceState | undefined,
  id: string | undefined,
): Promise<void> {
  const replacing = old !== undefined && !old.external && old.id !== id;
  const step: Step = {op: replacing ? 'read-replacement' : 'read', urn: next.urn, old, next};
  if (id === undefined) {
    run.begin(step);
    next.outputs = {id: UNKNOWN};
    return finishRead(run, step, next);
  }
  await run.slots.run(async () => {
    run.assertGoing();
    run.begin(step);
    try {
      const provider = await run.options.providers.get(next.provider);
      const read = await provider.read({urn: next.urn, id, properties: next.inputs, inputs: next.inputs});
      if (read.id === '') throw new EngineError(`resource '${id}' does not exist`);
      next.id = read.id;
      const {urn, inputs, additionalSecretOutputs: additional} = next;
      next.outputs = concealOutputs(run, {urn, inputs, additional}, read.properties);
      await finishRead(run, step, next);
    } catch (error) {
      throw run.fail(next.urn, error); // before the slot is free: nothing new starts
    }
  });
}

async function finishRead(run: Run, step: Step, next: ResourceState): Promise<void> {
  const {old} = step;
  const replaced = step.op === 'read-replacement' ? old : undefined;
  const changed = old !== undefined && !sameProperties(old.outputs, next.outputs);
  if (changed && !run.dryRun) next.modified = run.now();
  if (replaced !== undefined) {
    run.pendingDeletes.add(replaced);
    if (!run.dryRun) replaced.delete = true;
  }
  await run.snapshot?.finish(next, {add: true, done: replaced === undefined ? [old] : []});
  run.end(step, {counted: changed});
  if (replaced !== undefined) run.end({op: 'replace', urn: next.urn, old: replaced, next});
}
