// SPDX-License-Identifier: Apache-2.0
/** `suricata -T`: asks Suricata itself which rules it takes. */
import {createReadStream} from 'node:fs';
import {chmod, link, mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {SensorLimits} from '../limits.ts';
import type {Timers} from '../ports.ts';
import {SensorError, systemCode} from '../sensor-error.ts';
import type {SuricataBinary} from './binary.ts';
import {CONFIG_FILE, type ConfigInput} from './config.ts';
import {type EngineExtras, writeEngineFiles} from './engine-files.ts';
import {type EngineLogLine, LineSplitter} from './engine-log.ts';
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
  readonly extras: EngineExtras;
  /** Files that rules or the configuration name, by name. */
  readonly side: ReadonlyMap<string, Buffer>;
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

const writeSide = async (folder: string, side: VerifyOptions['side']): Promise<void> => {
  for (const [name, content] of side) {
    await writeFile(join(folder, name), content);
    await chmod(join(folder, name), 0o444);
  }
};

/** Suricata looks for the files that a rule names next to the file of the rule, too. */
const linkSide = async (folder: string, side: VerifyOptions['side']): Promise<void> => {
  for (const name of side.keys()) await link(join(folder, name), join(folder, RULE_FOLDER, name));
};

const run = async (
  folder: string,
  options: VerifyOptions,
  onLog: (line: EngineLogLine) => void = () => {},
): Promise<ExitInfo> => {
  const {suricata, runAs, launcher = {runAs, setpriv: undefined}, timers, limits, signal} = options;
  if (signal.aborted) throw givenUp();
  const args = ['-T', '-c', CONFIG_FILE, '-l', '.'];
  const engine = new SuricataProcess({path: suricata.path, args, folder, launcher, timers, onLog});
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

/** Rules that Suricata does not take, by index. `isWhole`: it has judged all of them. */
export type Verdict = {readonly notTaken: ReadonlyMap<number, NotTaken>; readonly isWhole: boolean};

/**
 * Those of `rules` (one line each) that Suricata does not take, by index; the others load together. `folder`: empty, Suricata's user may
 * write to it. Throws SensorError `start-failed` (also for a log that cannot be read: it is never taken for a good verdict),
 * `start-timeout`, `aborted`.
 */
export const verifyRules = async (
  folder: string,
  rules: readonly string[],
  options: VerifyOptions & {
    /** A rule in words, by its index. */
    readonly nameOf: (index: number) => string;
  },
): Promise<Verdict> => {
  const rulesLog = {file: RULES_LOG, format: RULES_LOG_FORMAT};
  const config = options.config({ruleFiles: rules.map((_, index) => ruleFileName(index)), rulesLog});
  await writeEngineFiles(folder, config, options.extras);
  await writeRules(folder, rules, options.signal);
  await writeSide(folder, options.side);
  await linkSide(folder, options.side);
  const exit = await run(folder, options);
  const log = await readLog(join(folder, RULES_LOG), rules.length);
  const notTaken = log.notTaken();
  const isRefused = [...(notTaken?.values() ?? [])].some(({kind}) => kind === 'refused');
  if (notTaken !== undefined && (exit.code === 0 || (exit.code === 1 && isRefused))) return {notTaken, isWhole: true};
  const partly = exit.code === 1 && notTaken === undefined ? log.givenUp() : undefined;
  if (partly !== undefined) return {notTaken: partly, isWhole: false};
  const words = log.words.at(-1) ?? describeExit(exit);
  const at = log.last === undefined ? '' : `, at ${options.nameOf(log.last)}`;
  throw new SensorError('start-failed', `Suricata could not verify the rules${at}: ${words}`);
};

const REFUSAL_LINES_MAX = 3;
const ANY_RULE = 'alert ip any any -> any any (msg:"any"; sid:1;)';
const ANY_RULE_FILE = 'any.rules';
/** Says nothing more than the lines before it. */
const FOLLOWS = /^Loading signatures failed|^Error loading threshold configuration/;
/** Suricata may go on without the thresholds. */
const NO_THRESHOLDS = /^Error loading threshold configuration/;

/** Suricata's words for a configuration that it refuses, without any rule of the user; undefined: it takes it. Throws as `verifyRules`. */
export const refusedConfig = async (folder: string, options: VerifyOptions): Promise<string | undefined> => {
  await writeEngineFiles(folder, options.config({ruleFiles: [ANY_RULE_FILE]}), options.extras);
  await writeFile(join(folder, ANY_RULE_FILE), `${ANY_RULE}\n`);
  await chmod(join(folder, ANY_RULE_FILE), 0o444);
  await writeSide(folder, options.side);
  const errors: string[] = [];
  let isRefused = false;
  const exit = await run(folder, options, ({level, message}) => {
    if (NO_THRESHOLDS.test(message)) isRefused = true;
    if ((level === 'error' || level === 'text') && !FOLLOWS.test(message))
      errors.push(message.replace(/\s+/g, ' ').trim());
  });
  if (exit.code === 0 && !isRefused) return undefined;
  return errors.slice(-REFUSAL_LINES_MAX).join('; ') || describeExit(exit);
};
