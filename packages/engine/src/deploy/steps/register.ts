// SPDX-License-Identifier: Apache-2.0
/**
 * A resource that the program wants: find what it was, check the inputs, compare, and do what follows.
 *
 *   claim URN → find old (by URN, then aliases) → import? (then it is the old) → Check → recreate | adopt external | create
 *                                                                 | Diff → same | update | replace (create or delete first)
 *
 * Ref: Pulumi pkg/resource/deploy/step_generator.go.
 */
import type {PropertyMap} from '@palisade/provider';
import {EngineError} from '../../engine-error.ts';
import {dependenciesOf, dependencyUrns, emptyState, type ResourceState} from '../../state/resource-state.ts';
import {isProviderType} from '../../state/urn.ts';
import type {Step} from '../events.ts';
import type {Goal} from '../goal.ts';
import {BrokenStep, type Run} from '../run.ts';
import {formerUrns} from './aliases.ts';
import {createResource, keepResource, updateResource} from './apply.ts';
import {assertStorable} from './assert-storable.ts';
import {checkInputs} from './check.ts';
import {compare} from './compare.ts';
import {importResource} from './import.ts';
import type {Judgement} from './judge-diff.ts';
import {carriedExtra, claimUrn, findOld, packageOf, type Registration} from './registration.ts';
import {deleteBeforeReplace} from './replace.ts';

const SEED_BYTES = 32;

/** Resolves when the resource is as wanted (or, in a preview, as it would be). Throws StepFailure; the error is already reported. */
export async function registerResource(run: Run, goal: Goal): Promise<ResourceState> {
  run.assertGoing();
  const parent = run.parentOf(goal.type, goal.parent);
  const urn = claimUrn(run, {...goal, parent});
  try {
    const old = findOld(run, urn, formerUrns(run, urn, {...goal, parent}));
    const reference = goal.custom && !isProviderType(goal.type) ? await providerOf(run, goal) : '';
    const next = stateOfGoal(goal, {urn, parent, old, provider: reference});
    const provider = reference === '' ? undefined : await run.options.providers.get(reference);
    const registration: Registration = {
      goal,
      urn,
      old,
      next,
      provider,
      seed: run.options.system.random.bytes(SEED_BYTES),
    };
    const result = await settle(run, registration);
    run.news.set(urn, result);
    return result;
  } catch (error) {
    throw error instanceof BrokenStep && error.urn !== urn ? run.skip(urn) : run.fail(urn, error);
  }
}

async function providerOf(run: Run, goal: Goal): Promise<string> {
  if (goal.provider !== '') return goal.provider;
  return run.defaults.reference(packageOf(goal.type), goal);
}

function stateOfGoal(
  goal: Goal,
  of: {urn: string; parent: string; old: ResourceState | undefined; provider: string},
): ResourceState {
  return {
    ...emptyState(of.urn, goal.type),
    custom: goal.custom,
    inputs: goal.inputs,
    parent: of.parent,
    protect: goal.protect,
    dependencies: goal.dependencies,
    propertyDependencies: goal.propertyDependencies,
    provider: of.provider,
    additionalSecretOutputs: goal.additionalSecretOutputs,
    customTimeouts: goal.customTimeouts,
    importId: goal.importId,
    retainOnDelete: goal.retainOnDelete,
    deletedWith: goal.deletedWith,
    ignoreChanges: goal.ignoreChanges,
    replaceOnChanges: goal.replaceOnChanges,
    sourcePosition: goal.sourcePosition,
    created: of.old?.created ?? '',
    modified: of.old?.modified ?? '',
    extra: carriedExtra(of.old, goal.stackTrace),
  };
}

async function settle(run: Run, registration: Registration): Promise<ResourceState> {
  const {goal, old, next} = registration;
  const targeted = run.selection.includes(next.urn, dependencyUrns(next));
  if (!targeted) return settleUntargeted(run, registration);
  assertNothingSkipped(run, next);
  if ([...dependencyUrns(next)].some(urn => run.broken.has(urn))) throw run.skip(next.urn);
  const {inputs: values, additionalSecretOutputs} = next;
  await assertStorable(run, 'this resource', {values, additionalSecretOutputs});
  const oldImportId = old === undefined ? '' : old.importId === '' ? old.id : old.importId;
  if (goal.custom && goal.importId !== '' && (old === undefined || old.external || oldImportId !== goal.importId))
    return settleImported(run, registration, await importResource(run, registration));
  const recreating = old === undefined ? undefined : run.deletedEarly.get(old);
  const fresh =
    old === undefined || old.external || recreating !== undefined || run.options.targets.mustReplace(next.urn);
  await checkInputs(run, registration, fresh ? undefined : old);
  if (old === undefined) {
    await createResource(run, next, {step: {op: 'create', urn: next.urn, next}, provider: registration.provider});
    return next;
  }
  if (recreating !== undefined) {
    await recreating;
    return recreate(run, registration, old);
  }
  if (old.external) return adopt(run, registration, old);
  const judgement = await compare(run, registration, old);
  return act(run, registration, old, judgement);
}

async function settleImported(run: Run, registration: Registration, found: ResourceState): Promise<ResourceState> {
  run.assertGoing();
  const continued: Registration = {...registration, old: found};
  await checkInputs(run, continued, found);
  const judgement = await compare(run, continued, found);
  return judgement.action === 'same' ? found : act(run, continued, found, judgement);
}

/** The old state as it is; a new resource is left out, and resources that need it fail. Both count as unchanged, as with the CLI. */
function settleUntargeted(run: Run, {old, next}: Registration): ResourceState {
  const result = old ?? next;
  const step: Step = {op: 'same', urn: next.urn, old, next: result};
  run.begin(step);
  if (old === undefined) run.skipped.add(next.urn);
  else keepUntargeted(run, old);
  run.end(step);
  return result;
}

/** With everything it needs: the program may not name that any more. */
function keepUntargeted(run: Run, old: ResourceState): void {
  for (const urn of dependenciesOf(run.options.prior, new Set([old.urn]))) run.needed.add(urn);
  run.snapshot?.keep(old);
}

function assertNothingSkipped(run: Run, next: ResourceState): void {
  const missing = [...dependencyUrns(next)].filter(urn => run.skipped.has(urn));
  if (missing.length > 0)
    run.refuse(
      next.urn,
      `Resource '${next.urn}' depends on '${missing.join("', '")}' which was ${run.options.targets.whyLeft}.`,
    );
}

/** Deleted earlier in this run because of something it depends on. */
async function recreate(run: Run, {next, provider}: Registration, old: ResourceState): Promise<ResourceState> {
  const replaceReasons = run.replaceKeys.get(next.urn);
  const step: Step = {op: 'replace', urn: next.urn, old, next, deletesFirst: true};
  run.replaced.add(next.urn);
  run.begin(step);
  await createResource(run, next, {
    step: {op: 'create-replacement', urn: next.urn, old, next, replaceReasons},
    provider,
    replaces: {old, pending: false},
  });
  run.end(step);
  return next;
}

/** It was only read so far; now the program wants its own. */
async function adopt(run: Run, {next, provider}: Registration, old: ResourceState): Promise<ResourceState> {
  await createResource(run, next, {
    step: {op: 'create-replacement', urn: next.urn, old, next},
    provider,
    replaces: {old, pending: true},
  });
  run.end({op: 'replace', urn: next.urn, old, next});
  return next;
}

async function act(
  run: Run,
  registration: Registration,
  old: ResourceState,
  judgement: Judgement,
): Promise<ResourceState> {
  const {next, provider} = registration;
  if (judgement.action === 'replace' || old.pendingReplacement) return replace(run, registration, old, judgement);
  if (judgement.action === 'same') {
    await keepResource(run, old, next);
    return next;
  }
  const {diffReasons, detailedDiff} = judgement;
  const step: Step = {op: 'update', urn: next.urn, old, next, diffReasons, detailedDiff};
  await updateResource(run, old, next, {step, provider, judgement});
  return next;
}

async function replace(
  run: Run,
  registration: Registration,
  old: ResourceState,
  judgement: Judgement,
): Promise<ResourceState> {
  const {goal, next, provider, seed} = registration;
  assertReplaceable(run, goal, old, next);
  run.replaced.add(next.urn);
  await checkInputs(run, registration, undefined);
  const {replaceReasons, diffReasons, detailedDiff} = judgement;
  const about = {urn: next.urn, old, next, replaceReasons, diffReasons, detailedDiff};
  const fixedName = goal.custom && run.options.autonamer?.decide(next.urn, seed).deleteBeforeReplace === true;
  const deleteFirst =
    old.pendingReplacement || (goal.deleteBeforeReplace ?? (fixedName || judgement.deleteBeforeReplace));
  run.assertGoing();
  if (deleteFirst) await deleteBeforeReplace(run, old);
  run.begin({op: 'replace', ...about, deletesFirst: deleteFirst});
  await createResource(run, next, {
    step: {op: 'create-replacement', ...about},
    provider,
    replaces: {old, pending: !deleteFirst},
  });
  run.end({op: 'replace', ...about, deletesFirst: deleteFirst});
  return next;
}

function assertReplaceable(run: Run, goal: Goal, old: ResourceState, next: ResourceState): void {
  if (next.protect && old.protect)
    run.refuse(
      next.urn,
      `unable to replace resource "${next.urn}"\nas it is currently marked for protection. To unprotect the resource, ` +
        'remove the `protect` flag from the resource in your program and run `palisade up`',
    );
  if (goal.importId === '') return;
  const message =
    'previously-imported resources that still specify an ID may not be replaced; please remove the `import` declaration from your program';
  if (!run.dryRun) throw new EngineError(message);
  run.report('warning', next.urn, message);
}

/** RegisterResourceOutputs: what a component or the stack gives out. */
export async function registerOutputs(run: Run, urn: string, outputs: PropertyMap): Promise<void> {
  const state = run.news.get(urn);
  if (state === undefined)
    throw run.fail(urn, new EngineError(`outputs were registered for the unknown resource ${urn}`));
  try {
    await assertStorable(run, 'an output', {values: outputs});
  } catch (error) {
    throw run.fail(urn, error);
  }
  state.outputs = outputs;
  if (urn === run.rootStack) run.hasStackOutputs = true;
  run.options.emit({kind: 'outputs', state});
  run.snapshot?.markDirty();
}

/**
 * After a failure an output that is missing may only not have come yet: the stack keeps the one it had.
 * Ref: Pulumi step_executor.go, executeRegisterResourceOutputs.
 */
export function keepStackOutputs(run: Run): void {
  const [old, next] = [run.olds.get(run.rootStack), run.news.get(run.rootStack)];
  if (!(run.failed || run.cancelled) || old === undefined || next === undefined) return;
  next.outputs = {...old.outputs, ...next.outputs};
  run.snapshot?.markDirty();
}
