// SPDX-License-Identifier: Apache-2.0
/** Deletions: of what was replaced, of what the program no longer names, of everything (destroy). */

import {dependenciesOf, dependencyUrns, type ResourceState} from '../../state/resource-state.ts';
import {isProviderType} from '../../state/urn.ts';
import type {Step, StepOp} from '../events.ts';
import {type Run, StepFailure} from '../run.ts';

export type DeleteOptions = {
  readonly op: StepOp;
  /** `gone`: it leaves the state. `pending-replacement`: it stays until its successor is there. */
  readonly keepAs?: 'gone' | 'pending-replacement';
  /** URNs that are deleted in the same run, for `deletedWith`. */
  readonly deleted?: ReadonlySet<string>;
};

/** Deletes one object, or only its state where the object is not ours to delete. */
export async function deleteObject(run: Run, state: ResourceState, options: DeleteOptions): Promise<void> {
  const step: Step = {op: options.op, urn: state.urn, old: state};
  if (options.op === 'delete' && state.protect) {
    run.begin(step);
    run.stepFailed(step);
    run.reportOnly(state.urn, protectedMessage(state.urn)); // all of them are reported
    throw new StepFailure(protectedMessage(state.urn));
  }
  const call = needsCall(state, options.deleted ?? new Set());
  await run.slots.run(async () => {
    run.assertGoing(); // it may have waited long
    run.begin(step);
    if (call) await (run.dryRun ? foresee(run, state, step) : callDelete(run, state, step));
    if (options.keepAs === 'pending-replacement') {
      if (!run.dryRun) state.pendingReplacement = true;
      await run.snapshot?.finish(state);
    } else await run.snapshot?.finish(state, {done: [state]});
    run.end(step);
  });
}

/** What ends the protection of a resource: an edit of the program, or of the state. */
export const waysToUnprotect = (urn: string): string =>
  `remove the \`protect\` flag from the resource in your program and run \`palisade up\`, or use the command:\n` +
  `\`palisade state unprotect '${urn}'\``;

const protectedMessage = (urn: string): string =>
  `resource "${urn}" cannot be deleted\nbecause it is protected. To unprotect the resource, either ${waysToUnprotect(urn)}`;

const needsCall = (state: ResourceState, deleted: ReadonlySet<string>): boolean =>
  state.custom &&
  !isProviderType(state.type) &&
  !state.external &&
  !state.retainOnDelete &&
  !state.pendingReplacement &&
  !(state.deletedWith !== '' && deleted.has(state.deletedWith));

/** A preview asks what a deletion begins with: whether the object is on the server that its provider names now. */
async function foresee(run: Run, state: ResourceState, step: Step): Promise<void> {
  try {
    const provider = await run.options.providers.get(state.provider);
    await provider.assertSameServer?.([{urn: state.urn, properties: state.outputs}]);
  } catch (error) {
    run.stepFailed(step);
    throw run.failStep(state.urn, error);
  }
}

async function callDelete(run: Run, state: ResourceState, step: Step): Promise<void> {
  await run.snapshot?.start(state, 'deleting');
  try {
    const provider = await run.options.providers.get(state.provider);
    await provider.delete({
      urn: state.urn,
      id: state.id,
      properties: state.outputs,
      oldInputs: state.inputs,
      timeoutSeconds: state.customTimeouts.delete,
    });
  } catch (error) {
    run.stepFailed(step);
    const failure = run.failStep(state.urn, error); // reported first: the state may be refused as well
    await run.snapshot?.finish(state);
    throw failure;
  }
}

/**
 * Deletes the condemned, each after everything condemned that depends on it; independent ones side by side. `order` is the state
 * they come from (dependencies first). What a failed deletion needed stays.
 */
export async function deleteInOrder(
  run: Run,
  condemned: ReadonlySet<ResourceState>,
  order: readonly ResourceState[],
): Promise<void> {
  const deleted = new Set([...condemned].map(state => state.urn));
  const list = order.filter(state => condemned.has(state));
  const finished = new Map<ResourceState, Promise<boolean>>();
  for (let i = list.length - 1; i >= 0; i -= 1) {
    const state = list[i];
    if (state === undefined) continue;
    const dependents = list.slice(i + 1).filter(later => dependencyUrns(later).has(state.urn));
    finished.set(
      state,
      deleteAfter(
        run,
        state,
        dependents.map(dependent => finished.get(dependent)),
        deleted,
      ),
    );
  }
  await Promise.all(finished.values());
}

/** False: it is still there. */
async function deleteAfter(
  run: Run,
  state: ResourceState,
  dependents: readonly (Promise<boolean> | undefined)[],
  deleted: ReadonlySet<string>,
): Promise<boolean> {
  const gone = await Promise.all(dependents);
  if (gone.includes(false) || run.cancelled || run.stopped) return false;
  try {
    await deleteObject(run, state, {op: deleteOp(run, state), deleted});
    return true;
  } catch (error) {
    if (error instanceof StepFailure) return false;
    throw error;
  }
}

function deleteOp(run: Run, state: ResourceState): StepOp {
  const replaced = state.delete || run.pendingDeletes.has(state);
  if ((state.pendingReplacement || run.deletedEarly.has(state)) && !replaced) return 'remove-pending-replace';
  if (state.external) return replaced ? 'discard-replaced' : 'discard';
  return replaced ? 'delete-replaced' : 'delete';
}

/** After a program that ended well: what was replaced, and what it no longer names. */
export async function deleteUnnamed(run: Run): Promise<void> {
  await deleteSelected(run, state => state.delete || run.pendingDeletes.has(state) || !run.registered.has(state.urn));
}

/** Destroy: everything, or the targets with what depends on them. */
export async function deleteAll(run: Run): Promise<void> {
  await deleteSelected(run, () => true);
}

async function deleteSelected(run: Run, isDue: (state: ResourceState) => boolean): Promise<void> {
  const {prior} = run.options;
  const mayGo = run.selection.deletable(prior);
  const isDeletable = (urn: string): boolean => mayGo(urn) && !run.needed.has(urn);
  const due = prior.filter(isDue);
  const neededByBroken = dependenciesOf(prior, run.broken);
  const condemned = due.filter(({urn}) => isDeletable(urn) && !neededByBroken.has(urn));
  assertTargeted(run, condemned);
  for (const state of due) if (!isDeletable(state.urn) && !run.registered.has(state.urn)) leave(run, state);
  await deleteInOrder(run, new Set(condemned), prior);
}

/** What stays because it takes no part counts as unchanged, as with the CLI. */
function leave(run: Run, state: ResourceState): void {
  if (state.delete) return;
  const step: Step = {op: 'same', urn: state.urn, old: state, next: state};
  run.begin(step);
  run.end(step);
}

/** Dependents of targets are named in the flags, too. A preview reports it and continues. */
function assertTargeted(run: Run, condemned: readonly ResourceState[]): void {
  const {targets} = run.options;
  if (targets.kind !== 'targets' || targets.withDependents) return;
  const surplus = condemned.filter(({urn}) => !targets.names(urn));
  const urns = new Set(condemned.map(({urn}) => urn));
  const messages = surplus.map(state => {
    const needed = [...dependencyUrns(state)].find(urn => urns.has(urn));
    return needed === undefined
      ? `${state.urn} depends on a resource in --target and would be deleted. Either include it in --target or pass --target-dependents`
      : `Cannot delete ${needed} as ${state.urn} depends on it. Either include that one in --target or pass --target-dependents`;
  });
  if (messages.length > 0) run.refuse(surplus[0]?.urn ?? '', messages.join('\n'));
}
