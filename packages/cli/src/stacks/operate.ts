// SPDX-License-Identifier: Apache-2.0
/** `palisade up`, `preview`, `refresh`, `destroy`: flags to options of the engine, its outcome to an exit code. */
import {type Kind, type OperationOptions, type Outcome, runOperation} from '@palisade/engine';
import {interruptsOfProcess} from '../command-line/interrupts.ts';
import {type CliIo, EXIT, isTerminal, UsageError} from '../command-line/io.ts';
import type {destroyFlags, importFlags, previewOnlyFlags, refreshFlags, upFlags} from './catalog/operations-flags.ts';
import type {StackInput} from './catalog/stack-command.ts';
import {engineParts} from './local-engine.ts';
import {pairsOf} from './pairs.ts';
import {confirmed} from './questions.ts';
import {displayOf} from './run-display.ts';

const PARALLEL_MAX = 256;

const QUESTIONS: Readonly<Record<Kind, string>> = {
  update: 'perform this update',
  refresh: 'perform this refresh',
  destroy: 'perform this destroy',
  import: 'perform this import',
};

type Flags = Partial<
  StackInput<typeof upFlags>['options'] &
    StackInput<typeof refreshFlags>['options'] &
    StackInput<typeof destroyFlags>['options']
> &
  Pick<StackInput<typeof importFlags>['options'], 'json' | 'parallel' | 'diff' | 'suppress-outputs'>;

type Input = Pick<StackInput<never>, 'global' | 'workspace' | 'io'> & {readonly options: Flags};

export type Operating = Pick<OperationOptions, 'imports'> & {
  readonly previewOnly?: boolean;
  /** The command prints something else to stdout. */
  readonly stepsAreNotes?: boolean;
};

export const up = (input: StackInput<typeof upFlags>): Promise<number> => operate(input, 'update');

export const preview = (input: StackInput<typeof previewOnlyFlags>): Promise<number> =>
  operate(input, 'update', {previewOnly: true});

export const refresh = (input: StackInput<typeof refreshFlags>): Promise<number> =>
  operate(input, 'refresh', {previewOnly: input.options['preview-only']});

export const destroy = (input: StackInput<typeof destroyFlags>): Promise<number> =>
  operate(input, 'destroy', {previewOnly: input.options['preview-only']});

/** Runs one operation on the current stack; resolves to the exit code. */
export async function operate(input: Input, kind: Kind, operating: Operating = {}): Promise<number> {
  const {options, global, workspace, io} = input;
  const {previewOnly = false, stepsAreNotes = false, imports} = operating;
  const targets = targetsOf(options);
  const parallel = parallelOf(options.parallel);
  const skips = options['skip-preview'] === true;
  const yes = options.yes === true;
  if (!previewOnly && !yes && !skips && (global['non-interactive'] || !isInteractive(io)))
    throw new UsageError('no terminal to ask for confirmation; give --yes or --skip-preview');
  const {beforeOperation, onInterrupt = interruptsOfProcess} = engineParts(io);
  const outcome = await runOperation(workspace, kind, {
    preview: previewOnly ? 'only' : skips ? 'none' : 'first',
    observe: displayOf({io, options, stepsAreNotes, previewOnly, system: workspace.system}),
    consent: async stack => yes || (await confirmed(input, `Do you want to ${QUESTIONS[kind]} on stack ${stack}?`)),
    beforeOperation,
    onInterrupt,
    targets,
    parallel,
    continueOnError: options['continue-on-error'] === true,
    refreshFirst: options.refresh,
    forgetPending: options['clear-pending-creates'] === true,
    imports: imports ?? [],
    message: options.message,
    config: pairsOf('config', options.config ?? []),
    configPaths: options['config-path'] === true,
    skipConfigValidation: options['skip-config-validation'] === true,
    expectNoChanges: options['expect-no-changes'] === true,
    remove: options.remove === true ? {} : undefined,
  });
  return exitCode(outcome);
}

const exitCode = (outcome: Outcome): number => (outcome === 'done' ? EXIT.ok : EXIT.failed);

const isInteractive = ({stdin, stdout}: CliIo): boolean => isTerminal(stdin) && isTerminal(stdout);

function targetsOf(options: Flags) {
  const {target = [], exclude = [], replace = [], 'target-replace': both = []} = options;
  if (target.length > 0 && exclude.length > 0) throw new UsageError('--target and --exclude exclude each other');
  return {
    targets: [...target, ...both],
    dependents: options['target-dependents'] === true,
    excludes: exclude,
    excludeDependents: options['exclude-dependents'] === true,
    replace: [...replace, ...both],
  };
}

function parallelOf(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > PARALLEL_MAX)
    throw new UsageError(`--parallel (or PULUMI_PARALLEL) ${text}: must be a number from 1 to ${PARALLEL_MAX}`);
  return count;
}
