// SPDX-License-Identifier: Apache-2.0
/** Turns rules of the sets of a host on and off, one request after the other. What is refused changes nothing. */

import type {RuleView} from '../catalog/rule-view.ts';
import type {RuleSet} from '../rules/rule-set.ts';
import type {RulePlan} from './rule-plan.ts';
import {allOrFailure} from './rule-set-view.ts';
import type {RuleSets, SetOutcome} from './rule-sets.ts';
import {
  changedSwitches,
  type KeptSwitches,
  noKeptSwitches,
  type RuleSwitches,
  type SwitchChange,
  withSwitches,
} from './rule-switches.ts';

export class Switchboard {
  readonly #kept: KeptSwitches;
  #switches: RuleSwitches;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(kept: KeptSwitches, switches: RuleSwitches) {
    this.#kept = kept;
    this.#switches = switches;
  }

  static async open(kept: KeptSwitches = noKeptSwitches): Promise<Switchboard> {
    return new Switchboard(kept, await kept.read());
  }

  planWith(plan: RulePlan): RulePlan {
    return withSwitches(plan, this.#switches);
  }

  /** With what users made of the rules. `set`: the configured name. */
  shown(set: string, rules: readonly RuleView[]): readonly RuleView[] {
    const own = this.#switches[set];
    return own === undefined || Object.keys(own).length === 0 ? rules : rules.map(rule => withSwitch(rule, own));
  }

  /**
   * Compiles the set `name` with the change and puts it in force; the change is kept when it resolves. Throws SensorError, and what keeping
   * throws: then the set is as before.
   */
  change(
    rules: RuleSets,
    name: string,
    change: SwitchChange,
    apply: (id: string, set: RuleSet) => Promise<void>,
  ): Promise<readonly (SetOutcome & {error?: undefined})[]> {
    const done = this.#turn.then(() => this.#change(rules, name, change, apply));
    this.#turn = done.catch(() => {}); // reported to the caller
    return done;
  }

  async #change(
    ...[rules, name, change, apply]: Parameters<Switchboard['change']>
  ): Promise<readonly (SetOutcome & {error?: undefined})[]> {
    const before = this.#switches;
    const next = changedSwitches(before, name, change);
    try {
      this.#switches = next;
      const outcomes = allOrFailure(await rules.replaceSet(name, this.planWith(rules.plan), apply));
      await this.#kept.save(name, next[name] ?? {});
      return outcomes;
    } catch (error) {
      this.#switches = before;
      await rules.replaceSet(name, this.planWith(rules.plan), apply);
      throw error;
    }
  }
}

const withSwitch = (rule: RuleView, own: RuleSwitches[string]): RuleView => {
  const switched = own[rule.ruleId];
  if (switched === undefined) return rule;
  const isOff = rule.state === 'DISABLED' && switched.state === 'DISABLED';
  return {...rule, ...(isOff && {reason: `turned off by ${switched.user}, ${switched.time}`}), switched};
};
