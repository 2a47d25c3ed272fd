// SPDX-License-Identifier: Apache-2.0
/** What users set besides rules: variables, sections of suricata.yaml, thresholds. Read with every fault, then judged by Suricata. */
import {SensorError} from '../sensor-error.ts';
import type {Sections} from '../suricata/settings/sections.ts';
import type {VariableGroups} from '../suricata/settings/variable-groups.ts';
import type {SetSettings} from './set-folder.ts';
import {readIncludes} from './settings/include.ts';
import type {UsedVariable} from './settings/rule-header.ts';
import {readThresholds, refusedThresholds, type ThresholdLine, thresholdText} from './settings/thresholds.ts';
import {groupVariables} from './settings/variables.ts';
import type {SideFiles} from './source/side-files.ts';

export type GivenSettings = SetSettings & {
  readonly includes: readonly string[];
  readonly thresholds: readonly ThresholdLine[];
  /** Files that sections name. */
  readonly side: SideFiles;
};

const thrown = (faults: readonly string[]): SensorError => new SensorError('rule-settings', faults.join('; '));

/** Throws SensorError `rule-settings` with every fault. */
export const readSettings = async (
  vars: Readonly<Record<string, string>>,
  includes: readonly string[],
  thresholdFiles: readonly string[],
  used: Iterable<UsedVariable>,
): Promise<GivenSettings> => {
  const variables = groupVariables(vars, used);
  const {included, faults} = await readIncludes(includes);
  const thresholds = await readThresholds(thresholdFiles, variables.groups);
  const all = [
    ...variables.faults.map(fault => `--var ${fault}`),
    ...faults.map(fault => `--suricata-include ${fault}`),
    ...thresholds.faults,
  ];
  if (all.length > 0) throw thrown(all);
  const {sections, side} = included;
  return {variables: variables.groups, sections, side, includes, thresholds: thresholds.lines};
};

export type SettingWords = {
  readonly vars: Readonly<Record<string, string>>;
  readonly includes: readonly string[];
  readonly thresholds: readonly string[];
};

/** What is wrong with files of thresholds whatever the rules are, one line each. */
export const thresholdFaults = async (
  thresholds: readonly string[],
  vars: Readonly<Record<string, string>>,
): Promise<readonly string[]> => (await readThresholds(thresholds, {address: vars, port: {}})).faults;

/** What is wrong with settings whatever the rules are, one line each: better said before anything is started. */
export const settingFaults = async ({vars, includes, thresholds}: SettingWords): Promise<readonly string[]> => {
  const {faults} = await readIncludes(includes);
  return [...faults.map(fault => `--suricata-include ${fault}`), ...(await thresholdFaults(thresholds, vars))];
};

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;
const NO_SECTIONS: Sections = {};

/** Suricata's words for a configuration, undefined if it takes it. */
export type Refusal = (settings: SetSettings, thresholds: string) => Promise<string | undefined>;

/** Throws SensorError `rule-settings` that says which of them Suricata refuses. */
export const judgeSettings = async (given: GivenSettings, refusal: Refusal): Promise<void> => {
  const {variables, sections, includes, thresholds} = given;
  const isPlain = ({address, port}: VariableGroups): boolean => isEmpty(address) && isEmpty(port);
  if (!isPlain(variables)) {
    const words = await refusal({variables, sections: NO_SECTIONS}, '');
    if (words !== undefined) throw thrown([`Suricata refuses the variables of --var: ${words}`]);
  }
  if (!isEmpty(sections)) {
    const words = await refusal({variables, sections}, '');
    if (words !== undefined) throw thrown([`--suricata-include ${includes.join(', ')}: Suricata refuses it: ${words}`]);
  }
  if (thresholds.length === 0) return;
  const faults = await refusedThresholds(thresholds, text => refusal({variables, sections}, text));
  if (faults.length > 0) throw thrown(faults);
};

export const thresholdsOf = ({thresholds}: GivenSettings): string => thresholdText(thresholds);
