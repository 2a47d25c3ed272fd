// SPDX-License-Identifier: Apache-2.0
/** Which rules Suricata takes, and what it says of the settings around them. */
import {chown, mkdir, rm} from 'node:fs/promises';
import {VERIFY_GIVEN_UP_MAX, VERIFY_RUNS_MAX} from '../limits.ts';
import type {RuleReport} from '../rule-report.ts';
import {isSensorError, SensorError} from '../sensor-error.ts';
import {type ConfigInput, renderConfig} from '../suricata/config.ts';
import {type EngineExtras, NO_EXTRAS} from '../suricata/engine-files.ts';
import {NO_REASON, type NotTaken} from '../suricata/rules-log.ts';
import {refusedConfig, type Verdict, verifyRules} from '../suricata/verify.ts';
import type {CompileOptions} from './compile-options.ts';
import {parseOptions} from './parse-rule.ts';
import {nameOfRule} from './refused-rules.ts';
import type {GivenRule} from './rule-files.ts';
import {type LeftOut, listOf} from './rule-list.ts';
import {judge} from './rule-policy.ts';
import type {SetSettings} from './set-folder.ts';
import type {SideFiles} from './source/side-files.ts';
import {inUserNames, userNamesOf} from './source/side-words.ts';

/** All that Suricata is shown. */
export type ShownSet = {
  readonly rules: readonly GivenRule[];
  readonly settings: SetSettings;
  readonly extras: EngineExtras;
  readonly side: SideFiles;
  readonly disabled: number;
};

/** In a folder of its own, which Suricata's user owns and which is gone afterwards. */
const inScratch = async <T>(scratch: string, options: CompileOptions, work: () => Promise<T>): Promise<T> => {
  await rm(scratch, {recursive: true, force: true});
  await mkdir(scratch, {recursive: true, mode: 0o700});
  if (options.runAs !== undefined) await chown(scratch, options.runAs.uid, options.runAs.gid);
  try {
    return await work();
  } finally {
    await rm(scratch, {recursive: true, force: true});
  }
};

type Varying = Pick<ConfigInput, 'ruleFiles' | 'rulesLog'>;

/** The quick matcher: whether a rule is right does not depend on it. */
const configFor =
  (settings: SetSettings, {homeNet, decodeVxlan, evidence}: CompileOptions) =>
  (more: Varying): string =>
    renderConfig({...settings, homeNet, decodeVxlan, evidence, patternMatcher: 'ac-ks', ...more});

/** Suricata's words for settings, without any rule of the user; undefined if it takes them. */
export const refusalOf = (
  scratch: string,
  settings: SetSettings,
  thresholds: string,
  side: SideFiles,
  options: CompileOptions,
): Promise<string | undefined> =>
  inScratch(scratch, options, () =>
    refusedConfig(scratch, {
      ...options,
      side,
      extras: {...NO_EXTRAS, thresholds},
      config: configFor(settings, options),
    }),
  );

/** Suricata's reason without its full stop, with the user's names of files, and a hint where it gives none. */
const reasonOf = (rule: GivenRule, reason: string, side: SideFiles): string => {
  const words = inUserNames(reason, userNamesOf([rule]), side).replace(/\.$/, '');
  return words === NO_REASON ? `${words}${hintOf(rule.text)}` : words;
};

const hintOf = (rule: string): string =>
  parseOptions(rule).some(({name}) => name === 'geoip')
    ? ': "geoip" needs a GeoIP database (geoip-database of suricata.yaml), and the sensors have none'
    : ': compare the values of its options with the Suricata documentation';

const verifyIn = async (
  scratch: string,
  rules: readonly GivenRule[],
  {settings, extras, side}: ShownSet,
  options: CompileOptions,
): Promise<Verdict> => {
  const nameOf = (index: number): string => {
    const rule = rules[index];
    return rule === undefined ? '' : nameOfRule(rule);
  };
  const texts = rules.map(({engineText}) => engineText);
  const config = configFor(settings, options);
  try {
    return await inScratch(scratch, options, () =>
      verifyRules(scratch, texts, {...options, config, nameOf, extras, side}),
    );
  } catch (error) {
    if (!isSensorError(error)) throw error;
    throw new SensorError(error.code, inUserNames(error.message, userNamesOf(rules), side), {cause: error.cause});
  }
};

const ALL_TAKEN: Verdict = {notTaken: new Map(), isWhole: true};

export type Outcome = {readonly loaded: readonly GivenRule[]; readonly report: RuleReport};

/**
 * What Suricata takes of the rules. Without those that it refuses the rest is verified once more: what is in force has loaded together.
 * Throws SensorError, as `judge` does.
 */
export const verifiedRules = async (scratch: string, shown: ShownSet, options: CompileOptions): Promise<Outcome> => {
  const {rules, disabled, side} = shown;
  const leftOut: Record<NotTaken['kind'], LeftOut[]> = {refused: [], skipped: []};
  for (const rule of rules) if (rule.fault !== undefined) leftOut.refused.push({rule, reason: rule.fault});
  let loaded = rules.filter(({fault}) => fault === undefined);
  for (let runs = 0, givenUp = 0; runs < VERIFY_RUNS_MAX && givenUp < VERIFY_GIVEN_UP_MAX; ) {
    const before = leftOut.refused.length;
    const {notTaken, isWhole} = loaded.length === 0 ? ALL_TAKEN : await verifyIn(scratch, loaded, shown, options);
    if (isWhole) runs++;
    else givenUp++;
    for (const [index, rule] of loaded.entries()) {
      const found = notTaken.get(index);
      if (found !== undefined) leftOut[found.kind].push({rule, reason: reasonOf(rule, found.reason, side)});
    }
    loaded = loaded.filter((_, index) => !notTaken.has(index));
    if (!isWhole) continue;
    const [refused, skipped] = [listOf(leftOut.refused, rules), listOf(leftOut.skipped, rules)];
    const report = {given: rules.length, loaded: loaded.length, refused, skipped, disabled};
    judge(report, options.policy);
    if (leftOut.refused.length === before) return {loaded, report};
  }
  const [last] = leftOut.refused.slice(-1);
  const at = last === undefined ? '' : `, the last time ${nameOfRule(last.rule)}: ${last.reason}`;
  throw new SensorError('start-failed', `Suricata refused further rules at each verification${at}`);
};
