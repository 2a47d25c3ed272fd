// SPDX-License-Identifier: Apache-2.0
/**
 * Rules that users turned on and off while the server ran: `rule-switches.json` in the folder of all sensors. They stay over restarts and
 * changes of the configuration, and go before its lists.
 */
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {RuleSwitch} from '@palisade/ids-wire';
import {RULE_SWITCHES_MAX} from '../limits.ts';
import {replaceFile} from '../replace-file.ts';
import {SensorError, systemCode} from '../sensor-error.ts';
import type {RulePlan} from './rule-plan.ts';

const FILE = 'rule-switches.json';
/** 1: 2026-11. */
const FORMAT = 1;

/** By the configured name of the set, then by `gid:sid`. */
export type RuleSwitches = Readonly<Record<string, Readonly<Record<string, RuleSwitch>>>>;

/** `gid:sid` each; an id is in one of the lists. `reset`: what the configuration says counts again. */
export type SwitchChange = {
  readonly enable: readonly string[];
  readonly disable: readonly string[];
  readonly reset: readonly string[];
  readonly user: string;
  /** RFC 3339. */
  readonly time: string;
};

/** Throws SensorError for a file that cannot be read: rules that were turned off would be active again without a word. */
export const readSwitches = async (dir: string): Promise<RuleSwitches> => {
  const path = join(dir, FILE);
  try {
    const {format, sets} = JSON.parse(await readFile(path, 'utf8')) as {format?: unknown; sets?: RuleSwitches};
    if (format === FORMAT && typeof sets === 'object' && sets !== null) return sets;
    throw new SensorError('rule-file', `${path}: has another format (${format}); update Palisade, or remove the file`);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return {};
    if (error instanceof SensorError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new SensorError(
      'rule-file',
      `${path}: ${why}; restore the file, or remove it to use the rules as configured`,
    );
  }
};

export const writeSwitches = (dir: string, sets: RuleSwitches): Promise<void> =>
  replaceFile(join(dir, FILE), `${JSON.stringify({format: FORMAT, sets})}\n`);

/** Throws SensorError for more than RULE_SWITCHES_MAX in the set. */
export const changedSwitches = (
  all: RuleSwitches,
  set: string,
  {enable, disable, reset, user, time}: SwitchChange,
): RuleSwitches => {
  const own = new Map(Object.entries(all[set] ?? {}));
  for (const id of reset) own.delete(id);
  for (const id of enable) own.set(id, {state: 'ENABLED', user, time});
  for (const id of disable) own.set(id, {state: 'DISABLED', user, time});
  if (own.size > RULE_SWITCHES_MAX)
    throw new SensorError(
      'rule-settings',
      `rule set "${set}" would have ${own.size} rules that are turned on or off, and can have ${RULE_SWITCHES_MAX}; reset some, or use the lists of the configuration`,
    );
  return {...all, [set]: Object.fromEntries(own)};
};

/** The plan of the configuration with the switches in its sources. */
export const withSwitches = (plan: RulePlan, switches: RuleSwitches): RulePlan => ({
  ...plan,
  ruleSets: plan.ruleSets.map(set => {
    const own = Object.entries(switches[set.name] ?? {});
    const ids = (wanted: RuleSwitch['state']): string[] =>
      own.flatMap(([id, {state}]) => (state === wanted ? [id] : [])).sort();
    const switched = {enable: ids('ENABLED'), disable: ids('DISABLED')};
    return {
      ...set,
      sources: set.sources.map(({switched: _, ...source}) => (own.length === 0 ? source : {...source, switched})),
    };
  }),
});
