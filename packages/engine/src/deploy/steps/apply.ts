// SPDX-License-Identifier: Apache-2.0
/**
 * The steps that call a provider: create and update. Each: wait for a free slot, make the intent durable, call, make the result durable.
 * A failed call leaves nothing behind; one that failed half-way (ResourceInitError) leaves the object with its reasons in the state.
 */
import {type PropertyMap, type Provider, ResourceInitError} from '@palisade/provider';
import {EngineError} from '../../engine-error.ts';
import type {ResourceState} from '../../state/resource-state.ts';
import {formatReference, isProviderType} from '../../state/urn.ts';
import type {Step} from '../events.ts';
import type {Run} from '../run.ts';
import {reportWarnings} from './check.ts';
import {configureProvider} from './configure-provider.ts';
import type {Judgement} from './judge-diff.ts';
import {concealOutputs} from './secret-outputs.ts';

/** undefined: a component or a provider resource. */
export type MaybeProvider = Provider | undefined;

export type CreateOptions = {
  readonly step: Step;
  readonly provider: MaybeProvider;
  /** The object it replaces: still there (`pending`: marked for deletion at the end) or deleted already. */
  readonly replaces?: {readonly old: ResourceState; readonly pending: boolean} | undefined;
};

/** Fills `next.id` and `next.outputs`. */
export async function createResource(run: Run, next: ResourceState, options: CreateOptions): Promise<void> {
  run.assertGoing();
  const {step, provider, replaces} = options;
  if (provider === undefined) {
    run.begin(step);
    await createWithoutCall(run, next);
    markReplaced(run, replaces);
    await finishCreate(run, next, step, replaces);
    return;
  }
  await run.slots.run(async () => {
    run.assertGoing();
    run.begin(step);
    await run.snapshot?.start(next, 'creating');
    try {
      const result = await provider.create({
        urn: next.urn,
        news: next.inputs,
        timeoutSeconds: next.customTimeouts.create,
        preview: run.dryRun,
      });
      if (!run.dryRun && result.id === '') throw new EngineError('provider did not return an ID from Create');
      setOutputs(run, next, result.id, result.properties);
      reportWarnings(run, next, result.warnings);
    } catch (error) {
      run.stepFailed(step);
      const failure = run.failStep(next.urn, error); // reported first: the state may be refused as well
      if (error instanceof ResourceInitError && error.id !== '') await keepPartial(run, next, error, replaces);
      else await run.snapshot?.finish(next);
      throw failure;
    }
    stamp(run, next, {created: true});
    markReplaced(run, replaces);
    await finishCreate(run, next, step, replaces);
  });
}

async function createWithoutCall(run: Run, next: ResourceState): Promise<void> {
  if (isProviderType(next.type)) {
    next.id = run.dryRun ? '' : run.options.system.random.uuid();
    next.outputs = visibleInputs(next.inputs);
    await configureProvider(run, next);
    if (!run.dryRun) run.options.providers.remember(formatReference(next), next);
  }
  stamp(run, next, {created: true});
}

const visibleInputs = (inputs: PropertyMap): PropertyMap => {
  const {__internal: _, ...outputs} = inputs;
  return outputs;
};

function markReplaced(run: Run, replaces: CreateOptions['replaces']): void {
  if (replaces?.pending !== true) return;
  run.pendingDeletes.add(replaces.old);
  if (!run.dryRun) replaces.old.delete = true;
}

/** A successor is there: an old state that only waited for it goes, one whose object still exists stays for the deletions. */
async function finishCreate(
  run: Run,
  next: ResourceState,
  step: Step,
  replaces: CreateOptions['replaces'],
): Promise<void> {
  const done = replaces !== undefined && !replaces.pending ? [replaces.old] : [];
  await run.snapshot?.finish(next, {add: true, done});
  run.end(step);
}

async function keepPartial(
  run: Run,
  next: ResourceState,
  error: ResourceInitError,
  replaces: CreateOptions['replaces'],
): Promise<void> {
  setOutputs(run, next, error.id, error.properties);
  next.initErrors = error.reasons;
  stamp(run, next, {created: true});
  markReplaced(run, replaces);
  const done = replaces !== undefined && !replaces.pending ? [replaces.old] : [];
  await run.snapshot?.finish(next, {add: true, done});
}

function setOutputs(run: Run, next: ResourceState, id: string, properties: PropertyMap): void {
  next.id = id;
  const {urn, inputs, additionalSecretOutputs: additional} = next;
  next.outputs = concealOutputs(run, {urn, inputs, additional}, properties);
}

function stamp(run: Run, state: ResourceState, what: {created: boolean}): void {
  if (run.dryRun) return;
  state.modified = run.now();
  if (what.created) state.created = state.modified;
}

/** Changes the object in place; `next` takes the old one's id. */
export async function updateResource(
  run: Run,
  old: ResourceState,
  next: ResourceState,
  options: {step: Step; provider: MaybeProvider; judgement: Judgement},
): Promise<void> {
  run.assertGoing();
  const {step, provider} = options;
  next.id = old.id;
  if (provider === undefined) {
    run.begin(step);
    await updateWithoutCall(run, old, next);
    stamp(run, next, {created: false});
    await run.snapshot?.finish(next, {add: true, done: [old]});
    run.end(step);
    return;
  }
  await run.slots.run(async () => {
    run.assertGoing();
    run.begin(step);
    await run.snapshot?.start(next, 'updating');
    try {
      const result = await provider.update({
        urn: next.urn,
        id: old.id,
        olds: old.outputs,
        oldInputs: old.inputs,
        news: next.inputs,
        timeoutSeconds: next.customTimeouts.update,
        ignoreChanges: next.ignoreChanges,
        preview: run.dryRun,
      });
      setOutputs(run, next, old.id, result.properties);
      reportWarnings(run, next, result.warnings);
    } catch (error) {
      run.stepFailed(step);
      const failure = run.failStep(next.urn, error); // reported first: the state may be refused as well
      if (error instanceof ResourceInitError) {
        setOutputs(run, next, error.id === '' ? old.id : error.id, error.properties);
        next.initErrors = error.reasons;
        stamp(run, next, {created: false});
        await run.snapshot?.finish(next, {add: true, done: [old]});
      } else await run.snapshot?.finish(next);
      throw failure;
    }
    stamp(run, next, {created: false});
    await run.snapshot?.finish(next, {add: true, done: [old]});
    run.end(step);
  });
}

async function updateWithoutCall(run: Run, old: ResourceState, next: ResourceState): Promise<void> {
  next.outputs = old.outputs;
  if (!isProviderType(next.type)) return;
  next.outputs = visibleInputs(next.inputs);
  await configureProvider(run, next);
}

/** Nothing to do for the object; the state may still change (options, dependencies). */
export async function keepResource(run: Run, old: ResourceState, next: ResourceState): Promise<void> {
  next.id = old.id;
  const {urn, inputs, additionalSecretOutputs: additional} = next;
  next.outputs = concealOutputs(run, {urn, inputs, additional}, old.outputs);
  const step: Step = {op: 'same', urn: next.urn, old, next};
  run.begin(step);
  if (isProviderType(next.type)) await configureProvider(run, next, old.inputs);
  run.snapshot?.note(next, {add: true, done: [old]});
  run.end(step);
}
