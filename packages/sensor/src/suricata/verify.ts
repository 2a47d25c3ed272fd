// SPDX-License-Identifier: Apache-2.0
/** `suricata -T`: asks Suricata itself whether a rule set is right. */
import type {SensorLimits} from '../limits.ts';
import type {Timers} from '../ports.ts';
import {type RuleFault, SensorError} from '../sensor-error.ts';
import type {SuricataBinary} from './binary.ts';
import {CONFIG_FILE} from './config.ts';
import {writeEngineFiles} from './engine-files.ts';
import {type EngineLogLine, ruleFaultsOf} from './engine-log.ts';
import {describeExit, type RunAs, SuricataProcess} from './process.ts';

export type VerifyOptions = {
  readonly suricata: SuricataBinary;
  readonly runAs: RunAs | undefined;
  readonly timers: Timers;
  readonly limits: SensorLimits;
  /** Ends it: the verdict is no longer wanted. */
  readonly signal: AbortSignal;
  readonly fileOf: (path: string) => string;
};

const LOG_LINES_MAX = 10_000;
const givenUp = (): SensorError => new SensorError('aborted', 'the verification of the rules was given up');

/** `folder`: holds the rule files, written to by Suricata. Empty: the set is right. Throws SensorError `start-failed`, `start-timeout`, `aborted` when no verdict could be had. */
export const verifyRules = async (folder: string, config: string, options: VerifyOptions): Promise<RuleFault[]> => {
  await writeEngineFiles(folder, config);
  const {signal} = options;
  if (signal.aborted) throw givenUp();
  const lines: EngineLogLine[] = [];
  const engine = new SuricataProcess({
    path: options.suricata.path,
    args: ['-T', '-c', CONFIG_FILE, '-l', '.'],
    folder,
    runAs: options.runAs,
    timers: options.timers,
    onLog: line => {
      if (lines.length < LOG_LINES_MAX) lines.push(line);
    },
  });
  let late = false;
  const timer = options.timers.after(options.limits.verifyTimeoutMs, () => {
    late = true;
    engine.kill();
  });
  const onAbort = (): void => engine.kill();
  signal.addEventListener('abort', onAbort);
  const exit = await engine.exited;
  timer.cancel();
  signal.removeEventListener('abort', onAbort);
  if (signal.aborted) throw givenUp();
  if (late)
    throw new SensorError(
      'start-timeout',
      `Suricata did not verify the rules within ${options.limits.verifyTimeoutMs / 1000} s`,
    );
  if (exit.code === 0) return [];
  const {faults, others} = ruleFaultsOf(lines, options.fileOf);
  if (faults.length > 0) return faults;
  throw new SensorError(
    'start-failed',
    `Suricata could not verify the rules: ${others.slice(-3).join('; ') || describeExit(exit)}`,
  );
};
