// SPDX-License-Identifier: Apache-2.0
/** What up, preview, refresh and destroy have in common: lock, preview, question, operation, display, history. */
import type {Env} from '../backend/backend-url.ts';
import type {UpdateRecord} from '../backend/file-backend.ts';
import type {StackReference} from '../backend/stack-reference.ts';
import {type EngineEvent, hasChanges} from '../deploy/events.ts';
import {builtinProvider} from '../deploy/providers/builtin-provider.ts';
import type {PlannedImport} from '../deploy/steps/import-planned.ts';
import {type Passing, Targets} from '../deploy/targets.ts';
import {DigestCollector} from '../display/digest.ts';
import {outputLines, ProgressLines, summaryLines} from '../display/progress.ts';
import {EngineError, messageOf, UsageError} from '../engine-error.ts';
import {
  destroy,
  importObjects,
  type OperationContext,
  type OperationResult,
  refresh,
  update,
} from '../operations/operations.ts';
import {checkProgram} from '../program/run-program.ts';
import type {JsonObject} from '../state/resource-json.ts';
import {ROOT_STACK_TYPE} from '../state/urn.ts';
import {configPlace, placedText, setAtPlace} from '../workspace/config-place.ts';
import {holdsSecure} from '../workspace/config-value.ts';
import {configFaults} from '../workspace/declared-config.ts';
import {projectRefusals} from '../workspace/project-refusals.ts';
import {confirmed} from './confirm.ts';
import {interruptsOfProcess} from './interrupts.ts';
import {EXIT, isTerminal} from './io.ts';
import {type Kind, planOperation} from './operation-plan.ts';
import {removeStack} from './stack-commands.ts';
import {type OpenStack, revealedConfig, unlockSecrets, type Workspace} from './workspace-context.ts';

const DEFAULT_PARALLEL = 16;
const PARALLEL_MAX = 256;
const REMIND_EVERY_MS = 10_000;

const WORDS: Readonly<Record<Kind, {doing: string; preview: string; question: string}>> = {
  update: {doing: 'Updating', preview: 'Previewing update', question: 'perform this update'},
  refresh: {doing: 'Refreshing', preview: 'Previewing refresh', question: 'perform this refresh'},
  destroy: {doing: 'Destroying', preview: 'Previewing destroy', question: 'perform this destroy'},
  import: {doing: 'Importing', preview: 'Previewing import', question: 'perform this import'},
};

type Options = {
  readonly previewOnly: boolean;
  /** Of an import. */
  readonly imports?: readonly PlannedImport[];
  /** The command prints something else to stdout. */
  readonly stepsAreNotes?: boolean;
};

/** Runs one operation on the current stack; resolves to the exit code. */
export async function operateStack(workspace: Workspace, kind: Kind, options: Options): Promise<number> {
  const {flags} = workspace;
  const parallel = parseParallel(flags.text('parallel'));
  if (flags.list('target').length > 0 && flags.list('exclude').length > 0)
    throw new UsageError('--target and --exclude do not go together');
  assertMayProceed(workspace, options); // before anything is kept
  const ref = await workspace.currentStack(undefined, {isNew: kind === 'update'});
  assertSameProject(workspace, ref);
  await assertPassphrase(await workspace.openStack(ref));
  await saveConfigFlags(workspace, ref);
  const env = await prepare(workspace, kind, ref);
  const {imports = [], stepsAreNotes = false} = options;
  const of = {kind, ref, parallel, env, imports, stepsAreNotes};
  if (options.previewOnly) return (await runOnce(workspace, {...of, dryRun: true, quiet: false, last: true})).code;
  const backend = await workspace.backend();
  const lock = await backend.lock(ref);
  try {
    const skip = flags.on('skip-preview');
    if (!skip || (await mustLookForTargets(workspace, kind, ref))) {
      // Of `up --json` only the operation itself is printed, or the preview that ended it, so that stdout is one document.
      const quiet = skip || flags.on('json');
      const preview = await runOnce(workspace, {...of, dryRun: true, quiet, last: false});
      if (preview.code !== EXIT.ok) return preview.code;
      if (
        !skip &&
        !flags.on('yes') &&
        !(await confirmed(workspace, `Do you want to ${WORDS[kind].question} on stack ${ref.name}?`))
      )
        return EXIT.failed;
    }
    const {code} = await runOnce(workspace, {...of, dryRun: false, quiet: false, last: true});
    if (flags.on('remove') && code === EXIT.ok) await removeEmptied(workspace, ref);
    return code;
  } finally {
    await lock.release();
  }
}

/** Of a stack that has a salt, as the CLI does: else a secret that turns up later fails what is half done. */
async function assertPassphrase({secrets}: OpenStack): Promise<void> {
  if (secrets.state !== undefined) await secrets.unlock();
}

/** `destroy --remove`. What was destroyed may not be all: protected resources, `--target`. */
async function removeEmptied(workspace: Workspace, ref: StackReference): Promise<void> {
  const {resources} = (await workspace.openStack(ref)).state;
  if (resources.length === 0) return removeStack(workspace, ref);
  workspace.note(`Some resources remain in the stack. '${ref.name}' was not removed.`);
}

/** What can be wrong before a provider is asked is told first. Resolves to the environment of the program. */
async function prepare(workspace: Workspace, kind: Kind, ref: StackReference): Promise<Env> {
  const {io, project} = workspace;
  const refusals = projectRefusals(project, Object.keys(io.providers).sort());
  if (refusals.length > 0) throw new EngineError(refusals.join('\n'));
  const config = await workspace.stackConfig(ref);
  for (const {file, unknown} of [project, config])
    for (const key of unknown) workspace.note(`note: ${file}: ${key}: there is no such key: it has no effect`);
  const merged = config.merged();
  if (kind === 'update' || kind === 'import') {
    const faults = workspace.flags.on('skip-config-validation') ? [] : configFaults(project, merged);
    if (faults.length > 0) throw new EngineError(faults.join('\n'));
  }
  if (kind === 'update') checkProgram(project, io.env);
  await assertTargets(workspace, kind, ref);
  const plan = async () => {
    const {resources} = (await workspace.openStack(ref)).state;
    return planOperation({kind, stack: ref.name, config: new Set(merged.keys()), resources});
  };
  return (await io.beforeOperation?.(plan)) ?? io.env;
}

const targetsOf = ({flags}: Workspace): Targets =>
  new Targets({
    targets: [...flags.list('target'), ...flags.list('target-replace')],
    dependents: flags.on('target-dependents'),
    excludes: flags.list('exclude'),
    excludeDependents: flags.on('exclude-dependents'),
    replace: [...flags.list('replace'), ...flags.list('target-replace')],
  });

/** Whether the program declares what is not in the state shows only when it runs: that must not be an update that goes half-way. */
async function mustLookForTargets(workspace: Workspace, kind: Kind, ref: StackReference): Promise<boolean> {
  const targets = targetsOf(workspace);
  if (kind !== 'update' || targets.isEmpty) return false;
  const {resources} = (await workspace.openStack(ref)).state;
  const missing = targets.missing(new Set(resources.map(({urn}) => urn)));
  if (missing.length > 0)
    workspace.note(`note: previewed all the same, as these are not in the stack yet: ${missing.join(', ')}`);
  return missing.length > 0;
}

/** What the state alone can tell: whether the program declares what passes of an update is seen at its end. */
async function assertTargets(workspace: Workspace, kind: Kind, ref: StackReference): Promise<void> {
  const targets = targetsOf(workspace);
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

function parseParallel(text: string | undefined): number {
  if (text === undefined) return DEFAULT_PARALLEL;
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > PARALLEL_MAX)
    throw new UsageError(`--parallel (or PULUMI_PARALLEL) ${text}: expected a number from 1 to ${PARALLEL_MAX}`);
  return count;
}

function assertSameProject(workspace: Workspace, ref: StackReference): void {
  if (ref.project !== workspace.project.name)
    throw new EngineError(
      `stack ${ref.name} belongs to project "${ref.project}", but ${workspace.project.file} is project "${workspace.project.name}"`,
    );
}

/** `--config key=value` is kept, as the CLI keeps it. */
async function saveConfigFlags(workspace: Workspace, ref: StackReference): Promise<void> {
  const given = workspace.flags.pairs('config');
  if (given.length === 0) return;
  const config = await workspace.stackConfig(ref);
  for (const [key, text] of given) {
    const place = configPlace(key, workspace.project.name, workspace.flags.on('config-path'));
    setAtPlace(config, place, placedText(place, text));
  }
  await config.save();
}

const isInteractive = (workspace: Workspace): boolean =>
  !workspace.flags.on('non-interactive') && isTerminal(workspace.io.stdin) && isTerminal(workspace.io.stdout);

function assertMayProceed(workspace: Workspace, options: {previewOnly: boolean}): void {
  const {flags} = workspace;
  if (options.previewOnly || flags.on('yes') || flags.on('skip-preview') || isInteractive(workspace)) return;
  throw new UsageError('--yes or --skip-preview must be passed in to proceed when running in non-interactive mode');
}

type Once = {
  readonly kind: Kind;
  readonly ref: StackReference;
  readonly dryRun: boolean;
  readonly parallel: number;
  readonly imports: readonly PlannedImport[];
  readonly stepsAreNotes: boolean;
  /** Of the program. */
  readonly env: Env;
  readonly quiet: boolean;
  /** No other run of the command follows it. */
  readonly last: boolean;
};

async function runOnce(workspace: Workspace, once: Once): Promise<{code: number}> {
  const {kind, ref, dryRun} = once;
  const {flags} = workspace;
  const stack = await workspace.openStack(ref);
  const config = await revealedConfig(stack);
  const digest = new DigestCollector({
    dryRun,
    refreshOnly: kind === 'refresh',
    suppressOutputs: flags.on('suppress-outputs'),
  });
  const note = (line: string): void => workspace.note(line);
  const write = printsSteps(workspace, once) ? (line: string): void => workspace.print(line) : note;
  const lines = new ProgressLines({
    write,
    note,
    dryRun,
    diff: flags.on('diff') ? {showSecrets: flags.on('show-secrets')} : undefined,
    now: () => workspace.system.clock.now().getTime(),
  });
  const emit = (event: EngineEvent): void => {
    digest.take(event);
    lines.take(event);
  };
  const context = await contextOf(workspace, {...once, stack, config, emit});
  write(`${dryRun ? WORDS[kind].preview : WORDS[kind].doing} (${ref.name}):`);
  const startTime = seconds(workspace);
  const stopReminding = workspace.system.timers.every(REMIND_EVERY_MS, () => lines.remind());
  const result = await runOperation(workspace, context, once).finally(stopReminding);
  lines.finish();
  const {errored} = lines;
  if (!once.quiet || (flags.on('json') && !result.ok))
    show(workspace, {...once, result, digest, errored, config: shownConfig(stack, config.program.values)});
  const code = exitCode(workspace, result, once);
  if (dryRun || (await recordHistory(workspace, {kind, ref, stack, result, startTime}))) return {code};
  return {code: EXIT.failed};
}

/** Steps go to stdout, unless it is for another document or nobody asked for this run. */
const printsSteps = ({flags}: Workspace, {quiet, stepsAreNotes}: Once): boolean =>
  !quiet && !stepsAreNotes && !flags.on('json');

const seconds = (workspace: Workspace): number => Math.floor(workspace.system.clock.now().getTime() / 1000);

async function contextOf(
  workspace: Workspace,
  of: Once & {stack: OpenStack; config: Awaited<ReturnType<typeof revealedConfig>>; emit: (event: EngineEvent) => void},
): Promise<OperationContext> {
  const {io} = workspace;
  const backend = await workspace.backend();
  const {stack, ref} = of;
  let unlocking: Promise<void> | undefined; // who comes meanwhile waits until a new salt is kept, too
  return {
    project: workspace.project,
    stack: ref.name,
    state: stack.state,
    config: of.config.program,
    packageConfig: of.config.forPackage,
    disabledDefaults: of.config.disabledDefaults,
    autonamer: of.config.autonamer,
    factories: {...io.providers, pulumi: () => builtinProvider(name => stackOutputs(workspace, name))},
    store: {save: latest => backend.save(ref, latest)},
    secrets: stack.secrets,
    unlockSecrets: async () => {
      if (!stack.secrets.isUnlocked) unlocking ??= unlockSecrets(stack);
      await unlocking;
    },
    targets: targetsOf(workspace),
    parallel: of.parallel,
    continueOnError: workspace.flags.on('continue-on-error'),
    env: of.env,
    emit: of.emit,
    system: workspace.system,
    onInterrupt: io.onInterrupt ?? interruptsOfProcess,
  };
}

/** `--refresh`, else what Pulumi.yaml says. */
const refreshesFirst = ({flags, project}: Workspace): boolean =>
  flags.text('refresh') === undefined ? project.refreshAlways : flags.on('refresh');

/** For StackReference. */
async function stackOutputs(workspace: Workspace, name: string) {
  const backend = await workspace.backend();
  const ref = workspace.reference(name);
  if (!(await backend.exists(ref))) return undefined;
  const {state} = await workspace.openStack(ref);
  return state.resources.find(resource => resource.type === ROOT_STACK_TYPE && !resource.delete)?.outputs ?? {};
}

async function runOperation(
  workspace: Workspace,
  context: OperationContext,
  {kind, dryRun, imports}: Once,
): Promise<OperationResult> {
  const {flags} = workspace;
  const forgetPending = flags.on('clear-pending-creates');
  if (kind === 'import') return importObjects(context, {dryRun}, imports);
  if (kind === 'refresh') return refresh(context, {dryRun, forgetPending});
  let from = context;
  if (refreshesFirst(workspace)) {
    const refreshed = await refresh(context, {dryRun, forgetPending});
    if (!refreshed.ok) return refreshed;
    from = {...context, state: {...context.state, resources: refreshed.resources}};
  }
  return kind === 'update' ? update(from, {dryRun}) : destroy(from, {dryRun});
}

/** Told when it fails, and false: what was done is done, and in the state. */
async function recordHistory(
  workspace: Workspace,
  of: {kind: Kind; ref: StackReference; stack: OpenStack; result: OperationResult; startTime: number},
): Promise<boolean> {
  const {kind, ref, stack, result, startTime} = of;
  const backend = await workspace.backend();
  const record: UpdateRecord = {
    kind: kind === 'import' ? 'resource-import' : kind,
    startTime,
    endTime: seconds(workspace),
    message: workspace.flags.text('message') ?? '',
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

function show(
  workspace: Workspace,
  of: Once & {result: OperationResult; digest: DigestCollector; errored: number; config: Record<string, string>},
): void {
  const {result, dryRun, digest} = of;
  const {flags} = workspace;
  const {changes, durationMs} = result;
  if (flags.on('json')) {
    workspace.print(JSON.stringify(digest.digest({config: of.config, durationMs, changes}), undefined, 4));
    return;
  }
  const outputs =
    of.kind === 'update' && result.outputs !== undefined && !flags.on('suppress-outputs') ? result.outputs : {};
  const output = outputLines(outputs, {showSecrets: flags.on('show-secrets')});
  if (output.length > 0) workspace.print(`${output.join('\n')}\n\n`);
  const summary = summaryLines(changes, {dryRun, durationMs, errored: of.errored}).join('\n');
  if (printsSteps(workspace, of)) workspace.print(summary);
  else workspace.note(summary);
  if (of.last && of.kind === 'update' && result.ok && !refreshesFirst(workspace) && !hasChanges(changes))
    workspace.note(
      'note: compared with the state of the stack, not with what is on the server: palisade refresh, or --refresh, does that',
    );
}

/** `--expect-no-changes` is judged once, after the operation: a preview before it does not end the command, as with the CLI. */
function exitCode(workspace: Workspace, result: OperationResult, {dryRun, last}: Once): number {
  if (!result.ok) return EXIT.failed;
  if (!last || !workspace.flags.on('expect-no-changes') || !hasChanges(result.changes)) return EXIT.ok;
  workspace.note(`error: no changes were expected but changes ${dryRun ? 'were proposed' : 'occurred'}`);
  return EXIT.failed;
}
