// SPDX-License-Identifier: Apache-2.0
/** What up, preview, refresh, destroy and import have in common: checks, lock, preview, consent, operation, history. */
import type {Env} from '../backend/backend-url.ts';
import type {UpdateRecord} from '../backend/file-backend.ts';
import type {StackReference} from '../backend/stack-reference.ts';
import {type EventSink, hasChanges} from '../deploy/events.ts';
import {builtinProvider} from '../deploy/providers/builtin-provider.ts';
import type {PlannedImport} from '../deploy/steps/import-planned.ts';
import {type Passing, type TargetOptions, Targets} from '../deploy/targets.ts';
import {EngineError, messageOf} from '../engine-error.ts';
import {checkProgram} from '../program/run-program.ts';
import type {JsonObject} from '../state/resource-json.ts';
import {ROOT_STACK_TYPE} from '../state/urn.ts';
import {configPlace, placedText, setAtPlace} from '../workspace/config-place.ts';
import {holdsSecure} from '../workspace/config-value.ts';
import {configFaults} from '../workspace/declared-config.ts';
import {projectRefusals} from '../workspace/project-refusals.ts';
import {type Kind, type OperationPlan, planOperation} from './operation-plan.ts';
import {destroy, importObjects, type OperationContext, type OperationResult, refresh, update} from './operations.ts';
import {forgetStack, type StackRemoval} from './stacks.ts';
import {type OpenStack, revealedConfig, unlockSecrets, type Workspace} from './workspace.ts';

export const DEFAULT_PARALLEL = 16;

/** One run of the program or of the provider calls: the preview, or the operation itself. */
export type RunInfo = {
  readonly kind: Kind;
  readonly stack: string;
  readonly dryRun: boolean;
  /** False for a preview that only finds out what the targets are. */
  readonly requested: boolean;
  /** No other run follows. */
  readonly last: boolean;
  /** The state is refreshed first. */
  readonly refreshes: boolean;
};

/** Follows one run. `config`: what the program gets, secrets hidden. Disposed when the run is over, however it ended. */
export type RunObserver = Disposable & {
  readonly emit: EventSink;
  readonly done: (result: OperationResult, config: Readonly<Record<string, string>>) => void;
};

export type OperationOptions = {
  /** `first`: preview, then ask `consent`. */
  readonly preview: 'only' | 'first' | 'none';
  readonly observe: (run: RunInfo) => RunObserver;
  /** Asked between the preview and the operation. */
  readonly consent: (stack: string) => Promise<boolean>;
  /**
   * Called once before any provider is asked, with project, stack, configuration and program found good. Resolves to the environment of
   * the program. May throw EngineError: then nothing is done. `plan` reads the state. Default: the environment of the workspace.
   */
  readonly beforeOperation?: ((plan: () => Promise<OperationPlan>) => Promise<Env>) | undefined;
  /** Calls back when the user wants the operation to end; returns how to stop listening. */
  readonly onInterrupt: (listener: () => void) => () => void;
  readonly targets?: TargetOptions;
  /** How many steps run at a time. */
  readonly parallel?: number | undefined;
  readonly continueOnError?: boolean;
  /** Refresh the state first; undefined: as Pulumi.yaml says. */
  readonly refreshFirst?: boolean | undefined;
  /** Forget creations that an earlier run left unfinished. */
  readonly forgetPending?: boolean;
  /** Of an import. */
  readonly imports?: readonly PlannedImport[];
  /** Note for the history. */
  readonly message?: string | undefined;
  /** Configuration values to save first, by key; with `configPaths` the keys are paths. */
  readonly config?: readonly (readonly [key: string, text: string])[];
  readonly configPaths?: boolean;
  readonly skipConfigValidation?: boolean;
  /** Changes make the operation fail. */
  readonly expectNoChanges?: boolean;
  /** Remove the stack when nothing is left in it. */
  readonly remove?: StackRemoval | undefined;
};

/** `changed`: done, but no changes were expected. `unrecorded`: done, but not in the history. */
export type Outcome = 'done' | 'changed' | 'failed' | 'declined' | 'unrecorded';

/** An operation with what it works on. */
type Run = {
  readonly kind: Kind;
  readonly ref: StackReference;
  /** Of the program. */
  readonly env: Env;
  readonly options: OperationOptions;
};
type Once = Run & {readonly dryRun: boolean; readonly requested: boolean; readonly last: boolean};

/** Runs one operation on the current stack. */
export async function runOperation(workspace: Workspace, kind: Kind, options: OperationOptions): Promise<Outcome> {
  const ref = await workspace.currentStack({isNew: kind === 'update'});
  assertSameProject(workspace, ref);
  await assertPassphrase(await workspace.openStack(ref));
  await saveConfig(workspace, ref, options);
  const env = await prepare(workspace, kind, ref, options);
  const run: Run = {kind, ref, env, options};
  if (options.preview === 'only') return runOnce(workspace, {...run, dryRun: true, requested: true, last: true});
  const backend = await workspace.backend();
  const lock = await backend.lock(ref);
  try {
    const asks = options.preview === 'first';
    if (asks || (await mustLookForTargets(workspace, run))) {
      const preview = await runOnce(workspace, {...run, dryRun: true, requested: asks, last: false});
      if (preview !== 'done') return preview;
      if (asks && !(await options.consent(ref.name))) return 'declined';
    }
    const outcome = await runOnce(workspace, {...run, dryRun: false, requested: true, last: true});
    if (options.remove !== undefined && outcome === 'done') await removeEmptied(workspace, ref, options.remove);
    return outcome;
  } finally {
    await lock.release();
  }
}

/** Of a stack that has a salt, as the CLI does: else a secret that turns up later fails what is half done. */
async function assertPassphrase({secrets}: OpenStack): Promise<void> {
  if (secrets.state !== undefined) await secrets.unlock();
}

/** What was destroyed may not be all: protected resources, targets. */
async function removeEmptied(workspace: Workspace, ref: StackReference, removal: StackRemoval): Promise<void> {
  const {resources} = (await workspace.openStack(ref)).state;
  if (resources.length === 0) return forgetStack(workspace, ref, removal);
  workspace.note(`Some resources remain in the stack. '${ref.name}' was not removed.`);
}

/** What can be wrong before a provider is asked is reported first. Resolves to the environment of the program. */
async function prepare(workspace: Workspace, kind: Kind, ref: StackReference, options: OperationOptions): Promise<Env> {
  const {project, env, providers} = workspace;
  const refusals = projectRefusals(project, Object.keys(providers).sort());
  if (refusals.length > 0) throw new EngineError(refusals.join('\n'));
  const config = await workspace.stackConfig(ref);
  for (const {file, unknown} of [project, config])
    for (const key of unknown) workspace.note(`note: ${file}: unknown key ${key} has no effect`);
  const merged = config.merged();
  if (kind === 'update' || kind === 'import') {
    const faults = options.skipConfigValidation === true ? [] : configFaults(project, merged);
    if (faults.length > 0) throw new EngineError(faults.join('\n'));
  }
  if (kind === 'update') checkProgram(project, env);
  await assertTargets(workspace, kind, ref, options);
  const plan = async () => {
    const {resources} = (await workspace.openStack(ref)).state;
    return planOperation({kind, stack: ref.name, config: new Set(merged.keys()), resources});
  };
  return (await options.beforeOperation?.(plan)) ?? env;
}

/** Whether the program declares what is not in the state shows only when it runs: that must not be an update that goes half-way. */
async function mustLookForTargets(workspace: Workspace, {kind, ref, options}: Run): Promise<boolean> {
  const targets = new Targets(options.targets);
  if (kind !== 'update' || targets.isEmpty) return false;
  const {resources} = (await workspace.openStack(ref)).state;
  const missing = targets.missing(new Set(resources.map(({urn}) => urn)));
  if (missing.length > 0)
    workspace.note(`note: a preview runs first, because these are not in the stack yet: ${missing.join(', ')}`);
  return missing.length > 0;
}

/** What the state alone can tell: whether the program declares what passes of an update is seen at its end. */
async function assertTargets(
  workspace: Workspace,
  kind: Kind,
  ref: StackReference,
  options: OperationOptions,
): Promise<void> {
  const targets = new Targets(options.targets);
  if (targets.isEmpty) return;
  const {resources} = (await workspace.openStack(ref)).state;
  const urns = new Set(resources.map(({urn}) => urn));
  targets.assertFound(urns, passing(kind, ref));
  if (kind === 'update') return; // what it excludes may come
  for (const line of [...targets.idle(urns), ...targets.idleExcludes(urns)]) workspace.note(`note: ${line}`);
}

/** An update may still declare it; a clean-up that is repeated finds nothing any more. */
function passing(kind: Kind, ref: StackReference): Passing {
  if (kind === 'update') return {patterns: true, beginning: `urn:pulumi:${ref.name}::${ref.project}::`, excludes: true};
  return {patterns: kind === 'destroy'};
}

function assertSameProject(workspace: Workspace, ref: StackReference): void {
  if (ref.project !== workspace.project.name)
    throw new EngineError(
      `stack ${ref.name} belongs to project "${ref.project}", but ${workspace.project.file} is project "${workspace.project.name}"`,
    );
}

/** Configuration given with an operation is kept, as the CLI keeps it. */
async function saveConfig(workspace: Workspace, ref: StackReference, options: OperationOptions): Promise<void> {
  const {config: given = [], configPaths = false} = options;
  if (given.length === 0) return;
  const config = await workspace.stackConfig(ref);
  for (const [key, text] of given) {
    const place = configPlace(key, workspace.project.name, configPaths);
    setAtPlace(config, place, placedText(place, text));
  }
  await config.save();
}

async function runOnce(workspace: Workspace, once: Once): Promise<Outcome> {
  const {kind, ref, dryRun, requested, last, options} = once;
  const stack = await workspace.openStack(ref);
  const config = await revealedConfig(stack);
  const refreshes = refreshesFirst(workspace, options);
  using observer = options.observe({kind, stack: ref.name, dryRun, requested, last, refreshes});
  const context = await contextOf(workspace, once, {stack, config, emit: observer.emit});
  const startTime = seconds(workspace);
  const result = await runSteps(workspace, context, once);
  observer.done(result, shownConfig(stack, config.program.values));
  if (!dryRun && !(await recordHistory(workspace, once, {stack, result, startTime}))) return 'unrecorded';
  if (!result.ok) return 'failed';
  return last && options.expectNoChanges === true && hasChanges(result.changes) ? 'changed' : 'done';
}

const seconds = (workspace: Workspace): number => Math.floor(workspace.system.clock.now().getTime() / 1000);

async function contextOf(
  workspace: Workspace,
  {ref, env, options}: Once,
  of: {stack: OpenStack; config: Awaited<ReturnType<typeof revealedConfig>>; emit: EventSink},
): Promise<OperationContext> {
  const backend = await workspace.backend();
  const {stack, config, emit} = of;
  let unlocking: Promise<void> | undefined; // who comes meanwhile waits until a new salt is kept, too
  return {
    project: workspace.project,
    stack: ref.name,
    state: stack.state,
    config: config.program,
    packageConfig: config.forPackage,
    disabledDefaults: config.disabledDefaults,
    autonamer: config.autonamer,
    factories: {...workspace.providers, pulumi: () => builtinProvider(name => stackOutputs(workspace, name))},
    store: {save: latest => backend.save(ref, latest)},
    secrets: stack.secrets,
    unlockSecrets: async () => {
      if (!stack.secrets.isUnlocked) unlocking ??= unlockSecrets(stack);
      await unlocking;
    },
    targets: new Targets(options.targets),
    parallel: options.parallel ?? DEFAULT_PARALLEL,
    continueOnError: options.continueOnError === true,
    env,
    emit,
    system: workspace.system,
    onInterrupt: options.onInterrupt,
  };
}

const refreshesFirst = ({project}: Workspace, {refreshFirst}: OperationOptions): boolean =>
  refreshFirst ?? project.refreshAlways;

/** For StackReference. */
async function stackOutputs(workspace: Workspace, name: string) {
  const backend = await workspace.backend();
  const ref = workspace.reference(name);
  if (!(await backend.exists(ref))) return undefined;
  const {state} = await workspace.openStack(ref);
  return state.resources.find(resource => resource.type === ROOT_STACK_TYPE && !resource.delete)?.outputs ?? {};
}

async function runSteps(
  workspace: Workspace,
  context: OperationContext,
  {kind, dryRun, options}: Once,
): Promise<OperationResult> {
  const forgetPending = options.forgetPending === true;
  if (kind === 'import') return importObjects(context, {dryRun}, options.imports ?? []);
  if (kind === 'refresh') return refresh(context, {dryRun, forgetPending});
  let from = context;
  if (refreshesFirst(workspace, options)) {
    const refreshed = await refresh(context, {dryRun, forgetPending});
    if (!refreshed.ok) return refreshed;
    from = {...context, state: {...context.state, resources: refreshed.resources}};
  }
  return kind === 'update' ? update(from, {dryRun}) : destroy(from, {dryRun});
}

/** False, with a note, when it fails: the operation itself is done, and in the state. */
async function recordHistory(
  workspace: Workspace,
  {kind, ref, options}: Once,
  of: {stack: OpenStack; result: OperationResult; startTime: number},
): Promise<boolean> {
  const {stack, result, startTime} = of;
  const backend = await workspace.backend();
  const record: UpdateRecord = {
    kind: kind === 'import' ? 'resource-import' : kind,
    startTime,
    endTime: seconds(workspace),
    message: options.message ?? '',
    environment: {'exec.kind': 'cli'},
    config: Object.fromEntries(stack.config?.merged() ?? []) as JsonObject,
    result: result.ok ? 'succeeded' : 'failed',
    resourceChanges: result.changes,
  };
  try {
    await backend.record(ref, record);
    return true;
  } catch (error) {
    workspace.note(`error: this operation is not in the history of the stack: ${messageOf(error)}`);
    return false;
  }
}

/** Secrets stay hidden. */
function shownConfig(stack: OpenStack, values: Readonly<Record<string, string>>): Record<string, string> {
  const merged = stack.config?.merged();
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, holdsSecure(merged?.get(key) ?? null) ? '[secret]' : value]),
  );
}
