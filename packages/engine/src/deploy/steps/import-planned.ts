// SPDX-License-Identifier: Apache-2.0
/**
 * `palisade import`: objects that exist already come into the state as they are, without a program; everything else in it stays.
 * Ref: Pulumi pkg/resource/deploy/import.go, and the planned form of ImportStep.
 */
import type {Provider} from '@palisade/provider';
import {EngineError} from '../../engine-error.ts';
import {emptyState, isProvider, type ResourceState} from '../../state/resource-state.ts';
import {formatReference, makeUrn, parseReference, providerType, ROOT_STACK_TYPE} from '../../state/urn.ts';
import {defaultProviderName} from '../default-providers.ts';
import type {Step} from '../events.ts';
import type {Run} from '../run.ts';
import {createResource} from './apply.ts';
import {failureMessage} from './check.ts';
import {assertSameServer} from './configure-provider.ts';
import {packageOf} from './registration.ts';
import {concealOutputs} from './secret-outputs.ts';

/** One resource that is to come into the state. */
export type PlannedImport = {
  readonly urn: string;
  readonly type: string;
  /** '' for a component: there is nothing to read. */
  readonly id: string;
  /** URN; '' for the stack. */
  readonly parent: string;
  /** URN; '' for the default provider of the package. */
  readonly provider: string;
  /** Of the package; '' when not given, as the next. */
  readonly version: string;
  readonly pluginDownloadUrl: string;
  readonly component: boolean;
  readonly protect: boolean;
};

const SEED_BYTES = 32;

/** Parents come before their children in `imports`. Throws StepFailure when one failed; the error is already reported. */
export async function importPlanned(run: Run, imports: readonly PlannedImport[]): Promise<void> {
  // First, so that the state stays in its order: also what is left to be deleted, which may still be used.
  for (const state of run.snapshot?.resources ?? []) run.snapshot?.note(state, {add: true});
  for (const state of run.olds.values()) keep(run, state);
  await findRootStack(run);
  const done = new Map<string, Promise<void>>();
  for (const planned of imports) {
    const parent = done.get(planned.parent) ?? Promise.resolve();
    const imported = parent.then(() => importOne(run, planned));
    imported.catch(() => undefined); // it is waited for below
    done.set(planned.urn, imported);
  }
  const ends = await Promise.allSettled(done.values());
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

function keep(run: Run, state: ResourceState): void {
  const step: Step = {op: 'same', urn: state.urn, old: state, next: state};
  run.begin(step);
  run.news.set(state.urn, state);
  if (state.type === ROOT_STACK_TYPE && state.parent === '') run.rootStack = state.urn;
  run.end(step);
}

async function findRootStack(run: Run): Promise<void> {
  if (run.rootStack !== '') return;
  const {stack, project} = run.options;
  const urn = makeUrn({stack, project, parent: '', type: ROOT_STACK_TYPE, name: `${project}-${stack}`});
  const next = emptyState(urn, ROOT_STACK_TYPE);
  await createResource(run, next, {step: {op: 'create', urn, next}, provider: undefined});
  run.news.set(urn, next);
  run.rootStack = urn;
}

async function importOne(run: Run, planned: PlannedImport): Promise<void> {
  const {urn, type, id, component, protect} = planned;
  run.assertGoing();
  try {
    const old = run.olds.get(urn);
    if (old !== undefined) {
      if (idOfImport(old) === id) return;
      throw new EngineError(`resource '${urn}' is already in the state, with id ${old.id}`);
    }
    const parent = planned.parent === '' ? run.rootStack : planned.parent;
    if (!run.news.has(parent)) throw new EngineError(`its parent '${parent}' is not in the state of the stack`);
    const provider = component ? '' : await referenceOf(run, planned);
    const next = {...emptyState(urn, type), custom: !component, parent, protect, provider};
    const step: Step = {op: 'import', urn, next};
    if (component) {
      run.begin(step);
      await finishImport(run, step, next);
    } else await readInto(run, step, {next, id});
    run.news.set(urn, next);
  } catch (error) {
    throw run.fail(urn, error);
  }
}

/** The one that it was imported by, if it was; '' for a component. */
export const idOfImport = ({id, importId}: ResourceState): string => (importId === '' ? id : importId);

/** A provider that the state has is used as it is there. */
async function referenceOf(run: Run, planned: PlannedImport): Promise<string> {
  if (planned.provider !== '') {
    const given = run.olds.get(planned.provider);
    if (given === undefined || !isProvider(given))
      throw new EngineError(`its provider '${planned.provider}' is not in the state of the stack`);
    return formatReference(given);
  }
  const {stack, project, providers} = run.options;
  const name = packageOf(planned.type);
  const version = planned.version === '' ? providers.make(name).version : planned.version;
  const type = providerType(name);
  const old = run.olds.get(makeUrn({stack, project, parent: '', type, name: defaultProviderName(version)}));
  return old === undefined ? run.defaults.reference(name, {...planned, version}) : formatReference(old);
}

async function readInto(run: Run, step: Step, {next, id}: {next: ResourceState; id: string}): Promise<void> {
  const {urn} = next;
  await run.slots.run(async () => {
    run.assertGoing();
    run.begin(step);
    try {
      const provider = await run.options.providers.get(next.provider);
      await assertSameServer(run, provider, parseReference(next.provider).urn);
      const read = await provider.read({urn, id, properties: {}, inputs: {}});
      if (read.id === '') throw new EngineError(`resource '${id}' does not exist`);
      next.id = read.id;
      next.inputs = read.inputs;
      next.outputs = concealOutputs(run, {urn, inputs: read.inputs, additional: []}, read.properties);
      await warnOfFaults(run, next, provider);
      await finishImport(run, step, next);
    } catch (error) {
      throw run.fail(urn, error); // before the slot is free: nothing new starts
    }
  });
}

async function finishImport(run: Run, step: Step, next: ResourceState): Promise<void> {
  if (!run.dryRun) {
    next.created = run.now();
    next.modified = next.created;
  }
  await run.snapshot?.finish(next, {add: true});
  run.end(step);
}

/** The object may differ from anything that a program may declare: it is imported, with a warning. */
async function warnOfFaults(run: Run, next: ResourceState, provider: Provider): Promise<void> {
  const {urn, inputs} = next;
  const randomSeed = run.options.system.random.bytes(SEED_BYTES);
  const {failures} = await provider.check({urn, olds: inputs, news: inputs, randomSeed});
  if (failures.length === 0) return;
  const lines = failures.map(failure => failureMessage(next, failure));
  run.report(
    'warning',
    urn,
    `imported, but a program that declares it this way is not valid; change the code:\n${lines.join('\n')}`,
  );
}
