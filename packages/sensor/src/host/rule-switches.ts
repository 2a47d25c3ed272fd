// SPDX-License-Identifier: Apache-2.0
/**
 * Rules that users turned on and off while the server ran. They stay over restarts and changes of the configuration, and go before its
 * lists.
 */
import type {RuleSwitch} from '@palisade/ids-wire';
import {RULE_SWITCHES_MAX} from '../limits.ts';
import {SensorError} from '../sensor-error.ts';
import type {RulePlan} from './rule-plan.ts';

/** By the configured name of the set, then by `gid:sid`. */
export type RuleSwitches = Readonly<Record<string, Readonly<Record<string, RuleSwitch>>>>;

/** Where they are kept. */
export type KeptSwitches = {
  read(): Promise<RuleSwitches>;
  /** Of one set. Durable when it resolves. */
  save(set: string, switches: RuleSwitches[string]): Promise<void>;
};

/** In memory, of one run of the server. */
export const noKeptSwitches: KeptSwitches = {read: async () => ({}), save: async () => {}};

/** `gid:sid` each; an id is in one of the lists. `reset`: what the configuration says counts again. */
export type SwitchChange = {
  readonly enable: readonly string[];
  readonly disable: readonly string[];
  readonly reset: readonly string[];
  readonly user: string;
  /** RFC 3339. */
  readonly time: string;
};

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
