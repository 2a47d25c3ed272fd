// SPDX-License-Identifier: Apache-2.0
/**
 * One deployment in progress: what every step shares. The files in steps/ are its verbs: register, read, apply, replace,
 * delete, refresh. Failure rules:
 *
 * I1 After the first failure nothing new starts; what runs is waited for and its result kept.
 * I2 Deletions of what the program no longer names happen only when the program ended well and nothing failed.
 * I3 With `--continue-on-error` a step that fails stops only what needs its resource, and deletions only of what that needs; anything
 *    else that fails (inputs that are refused, the program, the state) stops everything.
 */
import {isSecret, isUnknown, type PropertyValue} from '@palisade/provider';
import {EngineError, messageOf, UnsavedError} from '../engine-error.ts';
import type {ResourceState} from '../state/resource-state.ts';
import {formatReference, isProviderType, parseUrn, ROOT_STACK_TYPE} from '../state/urn.ts';
import type {System} from '../system.ts';
import type {DefaultProviders} from './default-providers.ts';
import {ChangeCounter, type EventSink, type Severity, type Step} from './events.ts';
import {Limiter} from './limiter.ts';
import type {Autonamer} from './providers/autonaming.ts';
import type {ProviderRegistry} from './providers/provider-registry.ts';
import {Selection} from './selection.ts';
import type {Snapshot} from './snapshot.ts';
import type {Targets} from './targets.ts';

/** A step that cannot continue; its error is already reported. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';
}

/** With `--continue-on-error`: the step failed, or is left out because of one that did. The program gets the result and may continue. */
export class BrokenStep extends StepFailure {
  readonly urn: string;
  readonly result: 'failed' | 'skipped';

  constructor(
    of: {readonly urn: string; readonly result: 'failed' | 'skipped'},
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.urn = of.urn;
    this.result = of.result;
  }
}

export type RunOptions = {
  readonly stack: string;
  readonly project: string;
  readonly dryRun: boolean;
  /** Steps at a time. */
  readonly parallel: number;
  /** The state before: resources that were not deleted yet (`delete: true`) are among them. */
  readonly prior: readonly ResourceState[];
  /** undefined in a preview. */
  readonly snapshot: Snapshot | undefined;
  readonly providers: ProviderRegistry;
  readonly targets: Targets;
  readonly autonamer: Autonamer | undefined;
  readonly emit: EventSink;
  readonly system: System;
  readonly continueOnError: boolean;
  /** Rejects when a resource with a secret could not be stored, and so must not be created. */
  readonly unlockSecrets: () => Promise<void>;
};

export type FormerUrns = {readonly found: boolean; readonly urns: readonly string[]};

export class Run {
  readonly options: RunOptions;
  readonly changes = new ChangeCounter();
  readonly slots: Limiter;
  readonly selection: Selection;
  /** Live old states by URN. */
  readonly olds = new Map<string, ResourceState>();
  /** URNs that the program named in this run, with the place of the declaration. */
  readonly registered = new Map<string, string>();
  /** States of this run by URN. */
  readonly news = new Map<string, ResourceState>();
  /** Old URN → new URN, for aliases that matched. */
  readonly aliased = new Map<string, string>();
  /** The same the other way round: by new URN, what a resource was found by, or else what it may have been. */
  readonly formerUrns = new Map<string, FormerUrns>();
  /** Not created because they are not targeted. */
  readonly skipped = new Set<string>();
  /** URNs whose step failed or was left out (I3). */
  readonly broken = new Set<string>();
  /** URNs that a resource which stays as it was needs: they stay too. */
  readonly needed = new Set<string>();
  /** Old states deleted before their replacement, and the promise of that deletion. */
  readonly deletedEarly = new Map<ResourceState, Promise<void>>();
  /** Old states whose successor was created first: deleted at the end. */
  readonly pendingDeletes = new Set<ResourceState>();
  /** URNs whose object is replaced in this run. */
  readonly replaced = new Set<string>();
  readonly replaceKeys = new Map<string, readonly string[]>();
  rootStack = '';
  /** The program came to its end: the stack's outputs are there. */
  hasStackOutputs = false;
  readonly #inProgress = new Map<string, Step>();
  #defaults: DefaultProviders | undefined;
  #failed = false;
  #stopped = false;
  #cancelled = false;
  #hasLoggedErrors = false;

  constructor(options: RunOptions) {
    this.options = options;
    this.slots = new Limiter(options.parallel);
    this.selection = new Selection(options.targets);
    for (const state of options.prior) {
      if (!state.delete) this.olds.set(state.urn, state);
      if (isProviderType(state.type)) options.providers.remember(formatReference(state), state);
    }
  }

  get defaults(): DefaultProviders {
    if (this.#defaults === undefined) throw new Error('no default providers: the run was not started');
    return this.#defaults;
  }

  set defaults(defaults: DefaultProviders) {
    this.#defaults = defaults;
  }

  get failed(): boolean {
    return this.#failed;
  }

  /** Failed in a way that nothing new may start after. */
  get stopped(): boolean {
    return this.#stopped;
  }

  get cancelled(): boolean {
    return this.#cancelled;
  }

  get dryRun(): boolean {
    return this.options.dryRun;
  }

  get snapshot(): Snapshot | undefined {
    return this.options.snapshot;
  }

  cancel(): void {
    this.#cancelled = true;
    this.options.providers.cancel();
  }

  /** Throws when nothing new may start. */
  assertGoing(): void {
    if (this.#cancelled) throw new StepFailure('update canceled');
    if (this.#stopped) throw new StepFailure('the deployment stopped after an earlier failure');
  }

  now(): string {
    return this.options.system.clock.now().toISOString();
  }

  report(severity: Severity, urn: string, message: string): void {
    if (severity === 'error') this.stop();
    this.options.emit({kind: 'diagnostic', severity, urn, message});
  }

  /** What the program logs is shown; it fails by its exit code alone, as with the CLI. */
  logged(severity: Severity, urn: string, message: string): void {
    if (severity === 'error') this.#hasLoggedErrors = true;
    this.options.emit({kind: 'diagnostic', severity, urn, message});
  }

  get hasLoggedErrors(): boolean {
    return this.#hasLoggedErrors;
  }

  /** Failed, and the reason is already reported. */
  stop(): void {
    this.#failed = true;
    this.#stopped = true;
  }

  /** What fails an update: a preview reports it, continues, and fails at the end. */
  refuse(urn: string, message: string): void {
    if (!this.dryRun) throw new EngineError(message);
    this.reportOnly(urn, message);
  }

  /** The operation continues, and fails at the end. */
  reportOnly(urn: string, message: string): void {
    this.#failed = true;
    this.options.emit({kind: 'diagnostic', severity: 'error', urn, message});
  }

  /** As `fail`, of a step that a provider was asked for (I3). */
  failStep(urn: string, error: unknown): StepFailure {
    if (!this.options.continueOnError || error instanceof StepFailure || error instanceof UnsavedError)
      return this.fail(urn, error);
    this.#inProgress.delete(urn);
    this.reportOnly(urn, messageOf(error));
    this.broken.add(urn);
    return new BrokenStep({urn, result: 'failed'}, messageOf(error), {cause: error});
  }

  /** Leaves a resource out, as one that it needs is broken. */
  skip(urn: string): BrokenStep {
    this.broken.add(urn);
    return new BrokenStep({urn, result: 'skipped'}, `${urn} needs a resource that failed`);
  }

  /** Reports an error; returns what to throw. */
  fail(urn: string, error: unknown): StepFailure {
    this.#inProgress.delete(urn);
    if (error instanceof StepFailure) return error;
    if (error instanceof UnsavedError)
      this.stop(); // reported once, at the end, with all that is missing
    else this.report('error', urn, messageOf(error));
    return new StepFailure(messageOf(error), {cause: error});
  }

  /** Steps that were begun and have not ended. */
  get inProgress(): readonly Step[] {
    return [...this.#inProgress.values()];
  }

  /** The step has its slot: what waits for one is neither shown nor waited for. */
  begin(step: Step): void {
    if (step.op !== 'replace') this.#inProgress.set(step.urn, step); // its halves are
    this.options.emit({kind: 'step-start', step});
  }

  /** The step failed; the caller reports why. */
  stepFailed(step: Step): void {
    this.#inProgress.delete(step.urn);
    this.options.emit({kind: 'step-failed', step});
  }

  end(step: Step, options: {counted?: boolean} = {}): void {
    this.#inProgress.delete(step.urn);
    const counted = options.counted !== false && this.changes.add(step);
    this.options.emit({kind: 'step-done', step, counted});
  }

  /** The parent a resource really has: programs may leave it out. */
  parentOf(type: string, parent: string): string {
    return parent === '' && type !== ROOT_STACK_TYPE && !isProviderType(type) ? this.rootStack : parent;
  }
}

/** A value in an error message: secrets stay hidden. */
export function showValue(value: PropertyValue | undefined): string {
  if (value === undefined || value === null) return '<nil>';
  if (typeof value === 'string') return value;
  return JSON.stringify(masked(value));
}

/** A copy in which nothing secret or unknown can be read. */
export function masked(value: PropertyValue): unknown {
  if (isSecret(value)) return '[secret]';
  if (isUnknown(value)) return '[unknown]';
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((member: PropertyValue) => masked(member));
  return Object.fromEntries(
    Object.entries(value as object).map(([key, member]) => [key, masked(member as PropertyValue)]),
  );
}

export const describe = (urn: string): string => {
  const {type, name} = parseUrn(urn);
  return `${type} ${name}`;
};
