// SPDX-License-Identifier: Apache-2.0
/** What a run of an operation prints: lines while it runs, diagnostics, outputs and summary at its end; or one JSON document. */
import {
  hasChanges,
  type Kind,
  type OperationResult,
  type RunInfo,
  type RunObserver,
  type System,
} from '@palisade/engine';
import type {CliIo} from '../command-line/io.ts';
import {DigestCollector} from './display/digest.ts';
import {outputLines, ProgressLines, summaryLines} from './display/progress.ts';
import {print} from './print.ts';

const REMIND_EVERY_MS = 10_000;

const HEADS: Readonly<Record<Kind, {doing: string; preview: string}>> = {
  update: {doing: 'Updating', preview: 'Previewing update'},
  refresh: {doing: 'Refreshing', preview: 'Previewing refresh'},
  destroy: {doing: 'Destroying', preview: 'Previewing destroy'},
  import: {doing: 'Importing', preview: 'Previewing import'},
};

type Shown = {
  readonly io: CliIo;
  readonly system: System;
  readonly options: {
    readonly json: boolean;
    readonly diff: boolean;
    readonly 'suppress-outputs': boolean;
    readonly 'show-secrets'?: boolean;
    readonly 'expect-no-changes'?: boolean;
  };
  /** The command prints something else to stdout. */
  readonly stepsAreNotes: boolean;
  readonly previewOnly: boolean;
};

export const displayOf =
  (shown: Shown) =>
  (run: RunInfo): RunObserver => {
    const {io, options, system} = shown;
    const {kind, stack, dryRun} = run;
    const showSecrets = options['show-secrets'] === true;
    // Of `up --json` only the operation itself is printed, or the preview that ended it, so that stdout is one document.
    const quiet = dryRun && !shown.previewOnly && (!run.requested || options.json);
    const stepsAreData = !quiet && !shown.stepsAreNotes && !options.json;
    const note = (line: string): unknown => io.stderr.write(line.endsWith('\n') ? line : `${line}\n`);
    const write = stepsAreData ? (line: string): void => print(io, line) : note;
    const suppressOutputs = options['suppress-outputs'];
    const digest = new DigestCollector({dryRun, refreshOnly: kind === 'refresh', suppressOutputs});
    const lines = new ProgressLines({
      write,
      note,
      dryRun,
      diff: options.diff ? {showSecrets} : undefined,
      now: () => system.clock.now().getTime(),
    });
    write(`${dryRun ? HEADS[kind].preview : HEADS[kind].doing} (${stack}):`);
    const stopReminding = system.timers.every(REMIND_EVERY_MS, () => lines.remind());
    const end = (result: OperationResult, config: Readonly<Record<string, string>>): void => {
      const {changes, durationMs, outputs} = result;
      if (options.json) {
        print(io, JSON.stringify(digest.digest({config, durationMs, changes}), undefined, 4));
        return;
      }
      const output = kind === 'update' && !suppressOutputs ? outputLines(outputs ?? {}, {showSecrets}) : [];
      if (output.length > 0) print(io, `${output.join('\n')}\n\n`);
      write(summaryLines(changes, {dryRun, durationMs, errored: lines.errored}).join('\n'));
      if (run.last && kind === 'update' && result.ok && !run.refreshes && !hasChanges(changes))
        note('note: compared with the state of the stack only; use --refresh to compare with the server');
    };
    return {
      emit: event => {
        digest.take(event);
        lines.take(event);
      },
      done: (result, config) => {
        lines.finish();
        if (!quiet || (options.json && !result.ok)) end(result, config);
        if (run.last && result.ok && options['expect-no-changes'] === true && hasChanges(result.changes))
          note(`palisade: no changes were expected but changes ${dryRun ? 'were proposed' : 'occurred'}`);
      },
      [Symbol.dispose]: stopReminding,
    };
  };
