// SPDX-License-Identifier: Apache-2.0
/** Rules judged and tried by the Suricata of this machine, without a server: with the flags, the verdicts and the words of `serve`. */
import {randomUUID} from 'node:crypto';
import {constants} from 'node:fs';
import {access, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {
  checkRules,
  DEFAULT_RULE_POLICY,
  type Inspection,
  inspectCapture,
  isSensorError,
  type OfflineOptions,
  type RuleFault,
  type RuleSetSpec,
  ruleFaultLines,
  skippedRuleLines,
} from '@palisade/sensor';
import {CommandError, UsageError} from '../errors.ts';
import {type SensorConfig, type SensorFlags, sensorConfigOf} from '../parts/sensor-config.ts';
import {holdingTimers, systemClock} from '../process/system.ts';
import {policyOf, ruleSetOf, wordsFor} from '../root/open-sensors.ts';

/** Of `serve`, those that decide what rules do. */
export type LocalRuleFlags = Partial<SensorFlags>;

const NO_FLAGS: SensorFlags = {
  ...{driver: 'auto', 'rules-strict': false, 'accept-any-vni': false, 'rules-min-loaded': undefined},
  ...{'sensor-user': undefined, 'sensor-memory-max': undefined, 'sensor-cpu-max': undefined},
  ...{'capture-interface': [], 'mirror-from': [], rules: [], 'enable-sid': [], 'disable-sid': []},
  ...{'threshold-file': [], 'suricata-include': [], var: [], 'home-net': []},
};

/** Throws UsageError that names every fault. */
const configOf = (flags: LocalRuleFlags, cwd: string): SensorConfig => {
  const {sensors, faults} = sensorConfigOf({...NO_FLAGS, ...flags}, cwd);
  if (faults.length > 0) throw new UsageError(faults.join('\n'));
  return sensors;
};

const optionsOf = (config: SensorConfig, rules: RuleSetSpec, signal: AbortSignal): OfflineOptions => ({
  rules,
  vars: config.vars,
  includes: config.suricataIncludes,
  rulePolicy: policyOf(config),
  homeNet: config.homeNet,
  patternMatcher: 'ac-ks', // loads fastest, and finds the same
  clock: systemClock,
  timers: holdingTimers,
  random: {uuid: randomUUID},
  signal,
});

/** A failure that the user can mend, in one line or one for each rule. */
const failed = (error: unknown, config: SensorConfig): Error => {
  if (!isSensorError(error)) return error instanceof Error ? error : new Error(String(error));
  const words = error.refusal === undefined ? error.message : wordsFor(error, config).replace(/^--rules: /, '');
  return new CommandError(words, {cause: error});
};

export type LocalCheck = {
  /** A server would take the rules. */
  readonly accepted: boolean;
  /** Why not; '' if it would. */
  readonly reason: string;
  readonly suricata: string;
  readonly given: number;
  readonly loaded: number;
  readonly refusedCount: number;
  readonly skippedCount: number;
  readonly refused: readonly RuleFault[];
  readonly skipped: readonly RuleFault[];
  readonly indented: readonly {readonly file: string; readonly line: number}[];
  /** Rules that a comment or a list turns off. */
  readonly disabled: number;
  /** What is not as the user may think. */
  readonly warnings: readonly string[];
  /** The rules that are not active as `serve` writes them, a line each. */
  readonly lines: {readonly refused: readonly string[]; readonly skipped: readonly string[]};
};

/** Throws UsageError for the flags, CommandError where there is no verdict: no Suricata, a file that cannot be read. */
export const checkLocalRules = async (flags: LocalRuleFlags, cwd: string, signal: AbortSignal): Promise<LocalCheck> => {
  const config = configOf(flags, cwd);
  try {
    const {engine, report, indented, disabled, warnings, refused} = await checkRules(
      optionsOf(config, ruleSetOf(config), signal),
    );
    return {
      accepted: refused === undefined,
      reason: refused?.refusal?.words ?? '',
      suricata: engine,
      ...{given: report.given, loaded: report.loaded, indented, disabled, warnings},
      ...{refusedCount: report.refused.count, skippedCount: report.skipped.count},
      ...{refused: report.refused.listed, skipped: report.skipped.listed},
      lines: {refused: ruleFaultLines(report.refused.listed), skipped: skippedRuleLines(report.skipped.listed)},
    };
  } catch (error) {
    throw failed(error, config);
  }
};

export type LocalTrial = {
  /** Threat id. */
  readonly id: string;
  readonly capture: string;
  /** Rules of a server; undefined: those of the flag `rules`. */
  readonly texts?: readonly string[] | undefined;
};

/** `alerts`: of the rule that was tried. */
export type LocalInspection = Inspection & {/** Of the rule, as it was loaded. */ readonly texts: readonly string[]};

/** Any rule: what is enabled by its id is all that is left, with the rules that set its flowbits. */
const ALL = 're:.';

/** Throws UsageError for the flags, CommandError for a rule that is refused or a capture that cannot be read. */
export const tryLocalRule = async (
  {id, capture, texts}: LocalTrial,
  flags: LocalRuleFlags,
  cwd: string,
  signal: AbortSignal,
): Promise<LocalInspection> => {
  const config = configOf(flags, cwd);
  const path = resolve(cwd, capture);
  await access(path, constants.R_OK).catch(() => {
    throw new CommandError(`--pcap ${capture}: cannot be read; check the path and its permissions`);
  });
  const folder = await mkdtemp(join(tmpdir(), 'palisade-rule-'));
  try {
    const file = join(folder, 'server.rules');
    if (texts !== undefined) await writeFile(file, texts.map(text => `${text}\n`).join(''));
    const sources = texts === undefined ? config.rules : [file];
    const rules: RuleSetSpec = {
      name: 'default',
      sources: sources.map(at => ({at, disable: [ALL], enable: [id], modify: []})),
      thresholds: config.thresholdFiles,
    };
    const rulePolicy = {...DEFAULT_RULE_POLICY, minLoadedPercent: 0};
    const seen = await inspectCapture(path, {...optionsOf(config, rules, signal), rulePolicy});
    const own = seen.rules.filter(({ruleId}) => ruleId === id);
    const refused = own.find(({state}) => state === 'REFUSED' || state === 'SKIPPED');
    if (refused !== undefined && !own.some(({state}) => state === 'ACTIVE'))
      throw new CommandError(`rule ${id} is ${refused.state.toLowerCase()}: ${refused.reason}`);
    const alerts = seen.alerts.filter(({gid, sid}) => `${gid}:${sid}` === id);
    return {...seen, alerts, texts: own.map(({text}) => text)};
  } catch (error) {
    const indented = isSensorError(error) ? error.notes?.indented.find(rule => rule.id === id) : undefined;
    if (indented !== undefined)
      throw new CommandError(
        `rule ${id} is indented in ${indented.file}, line ${indented.line}, and Suricata skips indented rules: remove the indentation`,
        {cause: error},
      );
    if (isSensorError(error, 'no-rules') && error.refusal === undefined)
      throw new CommandError(`no rule ${id} in ${texts === undefined ? config.rules.join(', ') : 'the rule set'}`, {
        cause: error,
      });
    throw failed(error, config);
  } finally {
    await rm(folder, {recursive: true, force: true});
  }
};
