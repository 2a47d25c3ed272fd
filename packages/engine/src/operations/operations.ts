// SPDX-License-Identifier: Apache-2.0
/**
 * The operations on a stack: update (and its preview), refresh, destroy. Each takes the state it starts from, emits events while it
 * runs, and leaves the state on disk in a form that the next run can start from, however it ends.
 */
import {stripVTControlCharacters} from 'node:util';
import type {PropertyMap} from '@palisade/provider';
import type {Env} from '../backend/backend-url.ts';
import {DefaultProviders, type PackageConfig} from '../deploy/default-providers.ts';
import type {ChangeSummary, EventSink, Severity} from '../deploy/events.ts';
import type {Autonamer} from '../deploy/providers/autonaming.ts';
import {type ProviderFactories, ProviderRegistry} from '../deploy/providers/provider-registry.ts';
import {Run, StepFailure} from '../deploy/run.ts';
import {Snapshot, type SnapshotStore} from '../deploy/snapshot.ts';
import {deleteAll, deleteUnnamed} from '../deploy/steps/delete.ts';
import {importPlanned, type PlannedImport} from '../deploy/steps/import-planned.ts';
import {type InvokeGoal, invokeFunction} from '../deploy/steps/invoke.ts';
import {readResource} from '../deploy/steps/read.ts';
import {refreshAll} from '../deploy/steps/refresh.ts';
import {keepStackOutputs, registerOutputs, registerResource} from '../deploy/steps/register.ts';
import type {Targets} from '../deploy/targets.ts';
import {EngineError, messageOf} from '../engine-error.ts';
import {startMonitorServer} from '../program/monitor-server.ts';
import {type ProgramEnd, startProgram} from '../program/run-program.ts';
import type {Deployment} from '../state/deployment-file.ts';
import {faultLines, integrityFaults} from '../state/integrity.ts';
import type {ResourceState} from '../state/resource-state.ts';
import type {SecretsManager} from '../state/secrets.ts';
import {parseUrn} from '../state/urn.ts';
import type {System} from '../system.ts';
import type {Project} from '../workspace/project.ts';

/** What the program gets as configuration. */
export type ProgramConfig = {
  /** By full key; secrets in the clear. */
  readonly values: Readonly<Record<string, string>>;
  readonly secretKeys: readonly string[];
};

/** Everything an operation works with. */
export type OperationContext = {
  readonly project: Project;
  readonly stack: string;
  readonly state: Deployment;
  readonly config: ProgramConfig;
  readonly packageConfig: PackageConfig;
  /** `pulumi:disable-default-providers`. */
  readonly disabledDefaults: readonly string[];
  readonly autonamer: Autonamer | undefined;
  readonly factories: ProviderFactories;
  readonly store: SnapshotStore;
  readonly secrets: SecretsManager;
  readonly unlockSecrets: () => Promise<void>;
  readonly targets: Targets;
  readonly parallel: number;
  /** `--continue-on-error`. */
  readonly continueOnError: boolean;
  readonly env: Env;
  readonly emit: EventSink;
  readonly system: System;
  /** Calls back when the user wants the operation to end; returns how to stop listening. */
  readonly onInterrupt: (listener: () => void) => () => void;
};

export type OperationResult = {
  readonly ok: boolean;
  readonly cancelled: boolean;
  readonly changes: ChangeSummary;
  /** The state after (in a preview: the state before). */
  readonly resources: readonly ResourceState[];
  /** Outputs of the stack as the program gave them; undefined when it did not get that far. */
  readonly outputs: PropertyMap | undefined;
  readonly durationMs: number;
};

type Mode = {readonly dryRun: boolean; readonly forgetPending?: boolean};

/** Runs the program and does (or, in a dry run, shows) what it asks for. */
export function update(context: OperationContext, mode: Mode): Promise<OperationResult> {
  return operate(context, mode, async run => {
    const before = context.state.resources.map(({urn}) => urn); // aliases rename
    await runProgram(run, context, mode);
    if (run.stopped || run.cancelled) return undefined;
    const urns = new Set([...before, ...run.registered.keys()]);
    context.targets.assertFound(urns, {excludes: true});
    for (const line of context.targets.idleExcludes(urns)) context.emit({kind: 'notice', line: `note: ${line}`});
    await deleteUnnamed(run);
    return undefined;
  });
}

/** Reads every object and takes what changed outside into the state. */
export function refresh(context: OperationContext, mode: Mode): Promise<OperationResult> {
  return operate(context, mode, async run => {
    const base = await refreshAll(run);
    run.snapshot?.rebase(base);
    return base;
  });
}

/** Deletes every object of the state (or the targets), dependents first. */
export function destroy(context: OperationContext, mode: Mode): Promise<OperationResult> {
  return operate(context, mode, async run => {
    await deleteAll(run);
    return undefined;
  });
}

/** Takes objects that exist already into the state, without a program. */
export function importObjects(
  context: OperationContext,
  mode: Mode,
  imports: readonly PlannedImport[],
): Promise<OperationResult> {
  return operate(context, mode, async run => {
    await importPlanned(run, imports);
    return undefined;
  });
}

async function operate(
  context: OperationContext,
  mode: Mode,
  work: (run: Run) => Promise<readonly ResourceState[] | undefined>,
): Promise<OperationResult> {
  const started = context.system.clock.now().getTime();
  const snapshot = mode.dryRun ? undefined : snapshotOf(context);
  const run = startRun(context, mode, snapshot);
  if (mode.forgetPending === true) snapshot?.forgetPending();
  warnOfPending(run, context, mode);
  const stopListening = context.onInterrupt(() => {
    const names = run.inProgress.map(step => step.urn.split('::').at(-1));
    const line = `canceling: waiting for ${names.length} step(s) in progress${names.length === 0 ? '' : ` (${names.join(', ')})`}`;
    context.emit({kind: 'notice', line});
    if (!run.cancelled) run.cancel();
  });
  let after: readonly ResourceState[] | undefined;
  try {
    after = await work(run);
  } catch (error) {
    if (!(error instanceof StepFailure)) run.fail('', error);
  } finally {
    stopListening();
    await flush(run, snapshot);
  }
  reportUnsound(run, snapshot);
  if (run.cancelled) run.report('error', '', 'update canceled');
  return {
    ok: !run.failed,
    cancelled: run.cancelled,
    changes: run.changes.summary,
    resources: snapshot?.resources ?? after ?? context.state.resources,
    outputs: run.news.get(run.rootStack)?.outputs,
    durationMs: context.system.clock.now().getTime() - started,
  };
}

async function flush(run: Run, snapshot: Snapshot | undefined): Promise<void> {
  if (snapshot === undefined) return;
  try {
    await snapshot.flush();
    const {failure} = snapshot;
    if (failure !== undefined)
      run.report('error', '', `the state could not be written for a while: ${failure.message}; it is complete now`);
  } catch (error) {
    run.report('error', '', unsavedMessage(messageOf(error), snapshot.unwritten));
  }
}

/** Of a state that was sound before: a fault of this engine must not stay unseen until the next command refuses it. */
function reportUnsound(run: Run, snapshot: Snapshot | undefined): void {
  const faults = integrityFaults(snapshot?.resources ?? []);
  if (faults.length === 0) return;
  run.report(
    'error',
    '',
    `the written state is inconsistent, which is a bug in palisade: please report it\n${faultLines(faults)}\n` +
      'before the next command, run `palisade state repair`',
  );
}

function unsavedMessage(why: string, missing: readonly ResourceState[]): string {
  const names = missing.map(({urn, type, id}) => `${type} ${parseUrn(urn).name} (id ${id})`).join(', ');
  return [
    `the state could not be written: ${why}. The last written state is kept`,
    ...(names === '' ? [] : [`objects created since then are missing from it: ${names}`]),
    `when it can be written again, run "palisade refresh"${names === '' ? '' : ' and import these objects (resource option import)'}`,
  ].join('; ');
}

const snapshotOf = (context: OperationContext): Snapshot =>
  new Snapshot({
    base: context.state.resources,
    pending: context.state.pendingOperations.filter(operation => operation.type === 'creating'),
    extra: context.state.extra,
    store: context.store,
    secrets: context.secrets,
    unlockSecrets: context.unlockSecrets,
    clock: context.system.clock,
  });

function startRun(context: OperationContext, mode: Mode, snapshot: Snapshot | undefined): Run {
  // A preview marks nothing, but aliases rename in place: it works on copies.
  const prior = mode.dryRun ? context.state.resources.map(state => ({...state})) : context.state.resources;
  const run = new Run({
    stack: context.stack,
    project: context.project.name,
    dryRun: mode.dryRun,
    parallel: context.parallel,
    prior,
    snapshot,
    providers: new ProviderRegistry(context.factories),
    targets: context.targets,
    autonamer: context.autonamer,
    emit: context.emit,
    system: context.system,
    continueOnError: context.continueOnError,
    unlockSecrets: context.unlockSecrets,
  });
  const defaults = {config: context.packageConfig, disabled: context.disabledDefaults};
  run.defaults = new DefaultProviders(defaults, goal => registerResource(run, goal));
  return run;
}

function warnOfPending(run: Run, context: OperationContext, mode: Mode): void {
  const pending = context.state.pendingOperations.filter(operation => operation.type === 'creating');
  if (pending.length === 0 || mode.forgetPending === true) return;
  run.report(
    'warning',
    '',
    'Attempting to deploy or update resources with ' +
      `${pending.length} pending operations from previous deployment.\n` +
      pending.map(({resource}) => `  * ${resource.urn}, interrupted while creating`).join('\n') +
      '\nThese objects may exist although the state does not have them: import or remove them, then run "palisade refresh --clear-pending-creates".',
  );
}

async function runProgram(run: Run, context: OperationContext, mode: Mode): Promise<void> {
  const server = await startMonitorServer(handlerOf(run), {projectFolder: context.project.folder});
  try {
    const program = startProgram(
      {
        project: context.project,
        stack: context.stack,
        dryRun: mode.dryRun,
        parallel: context.parallel,
        monitor: server.address,
        config: context.config.values,
        secretKeys: context.config.secretKeys,
        env: context.env,
      },
      (line, isError) => context.emit({kind: 'program-output', line, isError}),
    );
    const stopListening = context.onInterrupt(() => {
      void server.idle().then(program.kill, program.kill);
    });
    const end = await program.ended.finally(stopListening);
    await server.idle();
    judgeEnd(run, end, server.hasSignalled());
  } finally {
    keepStackOutputs(run); // here, as a deletion that fails later changes nothing about what the program gave
    server.stop();
  }
}

function judgeEnd(run: Run, end: ProgramEnd, signalled: boolean): void {
  if (run.cancelled) return;
  if (!end.ok) {
    if (run.stopped) return;
    if (run.failed || (end.loggedAlready && run.hasLoggedErrors)) run.stop();
    else run.fail('', new EngineError(end.message));
    return;
  }
  // A program that left by itself half-way must not be taken for one that wants nothing: everything would be deleted.
  if (!run.stopped && !signalled && !run.hasStackOutputs)
    run.fail('', new EngineError('the program ended before it had registered everything; nothing was deleted'));
}

const BROKEN_IN_SDK =
  /^(?:Running program '.*' failed with an unhandled exception:\n(?:<ref \*\d+> )?|Error serializing arguments for (?:invoke|call) \S+: )?Error: (?:error serializing .*?: )*resource (.+?) \[([^\]]+)\] failed to register(?:\n|$)/;

/** What the SDK makes of the answer that a step failed or was left out (`--continue-on-error`), when the program does not catch it. */
function repeatsBroken(run: Run, message: string): boolean {
  const [, name, type] = BROKEN_IN_SDK.exec(stripVTControlCharacters(message)) ?? [];
  return [...run.broken].some(urn => {
    const broken = parseUrn(urn);
    return broken.name === name && broken.type === type;
  });
}

const handlerOf = (run: Run) => ({
  register: (goal: Parameters<typeof registerResource>[1]) => registerResource(run, goal),
  read: (goal: Parameters<typeof readResource>[1]) => readResource(run, goal),
  invoke: (goal: InvokeGoal) => invokeFunction(run, goal),
  registerOutputs: (urn: string, outputs: PropertyMap) => registerOutputs(run, urn, outputs),
  find: (urn: string) => run.news.get(urn),
  isSkipped: (urn: string) => run.skipped.has(urn),
  refuse: (urn: string, error: unknown) => run.fail(urn, error),
  log: (severity: Severity, urn: string, message: string) => {
    // After a failed step the SDK repeats its error; the user has seen it.
    if (severity === 'error' && (run.stopped || repeatsBroken(run, message)))
      run.options.emit({kind: 'diagnostic', severity: 'debug', urn, message});
    else run.logged(severity, urn, message);
  },
});
