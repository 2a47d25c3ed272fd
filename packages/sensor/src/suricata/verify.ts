// SPDX-License-Identifier: Apache-2.0
/** `suricata -T`: asks Suricata itself which rules it takes. */
import {createReadStream} from 'node:fs';
import {chmod, mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {SensorLimits} from '../limits.ts';
import type {Timers} from '../ports.ts';
import {SensorError, systemCode} from '../sensor-error.ts';
import type {SuricataBinary} from './binary.ts';
import {CONFIG_FILE, type ConfigInput} from './config.ts';
import {writeEngineFiles} from './engine-files.ts';
import {LineSplitter} from './engine-log.ts';
import type {Launcher} from './launch.ts';
import {describeExit, type ExitInfo, type RunAs, SuricataProcess} from './process.ts';
import {type NotTaken, RULE_FOLDER, RULES_LOG_FORMAT, RuleLogReader, ruleFileName} from './rules-log.ts';

export type VerifyOptions = {
  readonly suricata: SuricataBinary;
  readonly runAs: RunAs | undefined;
  /** Default: as `runAs`, without setpriv. */
  readonly launcher?: Launcher | undefined;
  readonly timers: Timers;
  readonly limits: SensorLimits;
  /** Ends it: the verdict is no longer wanted. */
  readonly signal: AbortSignal;
  /** The configuration of the rule set, for other rule files. */
  readonly config: (input: Pick<ConfigInput, 'ruleFiles' | 'rulesLog'>) => string;
  /** A rule in words, by its index. */
  readonly nameOf: (index: number) => string;
};

const RULES_LOG = 'rules.log';
const FILES_AT_ONCE = 200;
const givenUp = (): SensorError => new SensorError('aborted', 'the verification of the rules was cancelled');

/** Each rule in a file of its own, readable for Suricata's user whatever our umask. */
const writeRules = async (folder: string, rules: readonly string[], signal: AbortSignal): Promise<void> => {
  await mkdir(join(folder, RULE_FOLDER));
  await chmod(join(folder, RULE_FOLDER), 0o755);
  const write = async (rule: string, index: number): Promise<void> => {
    const path = join(folder, ruleFileName(index));
    await writeFile(path, `${rule}\n`);
    await chmod(path, 0o444);
  };
  for (let from = 0; from < rules.length; from += FILES_AT_ONCE) {
    if (signal.aborted) throw givenUp();
    await Promise.all(rules.slice(from, from + FILES_AT_ONCE).map((rule, at) => write(rule, from + at)));
  }
};

const run = async (folder: string, options: VerifyOptions): Promise<ExitInfo> => {
  const {suricata, runAs, launcher = {runAs, setpriv: undefined}, timers, limits, signal} = options;
  if (signal.aborted) throw givenUp();
  const args = ['-T', '-c', CONFIG_FILE, '-l', '.'];
  const engine = new SuricataProcess({path: suricata.path, args, folder, launcher, timers, onLog: () => {}});
  let late = false;
  const timer = timers.after(limits.verifyTimeoutMs, () => {
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
      `Suricata did not verify the rules within ${limits.verifyTimeoutMs / 1000} s`,
    );
  return exit;
};

const readLog = async (path: string, rules: number): Promise<RuleLogReader> => {
  const reader = new RuleLogReader(rules);
  try {
    const lines = new LineSplitter(line => reader.push(line));
    for await (const chunk of createReadStream(path, 'utf8')) lines.push(chunk as string);
    lines.end();
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error; // it ended before it wrote a log
  }
  return reader;
};

/**
 * Those of `rules` (one line each) that Suricata does not take, by index; the others load together. `folder`: empty, Suricata's user may
 * write to it. Throws SensorError `start-failed` (also for a log that cannot be read: it is never taken for a good verdict),
 * `start-timeout`, `aborted`.
 */
export const verifyRules = async (
  folder: string,
  rules: readonly string[],
  options: VerifyOptions,
): Promise<ReadonlyMap<number, NotTaken>> => {
  const rulesLog = {file: RULES_LOG, format: RULES_LOG_FORMAT};
  await writeEngineFiles(folder, options.config({ruleFiles: rules.map((_, index) => ruleFileName(index)), rulesLog}));
  await writeRules(folder, rules, options.signal);
  const exit = await run(folder, options);
  const log = await readLog(join(folder, RULES_LOG), rules.length);
  const notTaken = log.notTaken();
  const isRefused = [...(notTaken?.values() ?? [])].some(({kind}) => kind === 'refused');
  if (notTaken !== undefined && (exit.code === 0 || (exit.code === 1 && isRefused))) return notTaken;
  const words = log.words.at(-1) ?? describeExit(exit);
  const at = log.last === undefined ? '' : `, at ${options.nameOf(log.last)}`;
  throw new SensorError('start-failed', `Suricata could not verify the rules${at}: ${words}`);
};
