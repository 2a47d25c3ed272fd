// SPDX-License-Identifier: Apache-2.0
/** How much of a rule set may be refused before the set as a whole is. */

import type {RuleReport} from '../rule-report.ts';
import {SensorError} from '../sensor-error.ts';
import {refusedInWords, ruleFaultsCounted, skippedInWords, skippedRulesCounted} from './refused-rules.ts';

export type RulePolicy = {
  /** One refused rule refuses the set. */
  readonly strict: boolean;
  /** Of the enabled rules that must load, 0 to 100; a set of which none loads is refused whatever it says. */
  readonly minLoadedPercent: number;
};

export const DEFAULT_RULE_POLICY: RulePolicy = {strict: false, minLoadedPercent: 90};

/** Rounded down, so that a share below a limit never reads like the limit. */
const percent = (share: number): string => `${Math.floor(share * 10) / 10} %`;

/** Why the set is refused. Skipped rules say themselves that they are not for this Suricata: they do not count. */
const whyRefused = ({given, loaded, refused, skipped}: RuleReport, policy: RulePolicy): string | undefined => {
  if (refused.count === 0) return undefined;
  if (policy.strict) return 'strict mode allows no refused rule';
  if (loaded === 0) return 'no rule would be active';
  const share = (loaded * 100) / (given - skipped.count);
  if (share >= policy.minLoadedPercent) return undefined;
  return `${percent(share)} of the rules load, at least ${policy.minLoadedPercent} % are required`;
};

/** Throws SensorError `rule-error` or `no-rules` when the set must not be put in force. */
export const judge = (report: RuleReport, policy: RulePolicy): void => {
  const why = whyRefused(report, policy);
  if (why !== undefined) {
    const words = `${ruleFaultsCounted(report)}: ${why}`;
    throw new SensorError('rule-error', `${words}; ${refusedInWords(report)}`, {refusal: {words, report}});
  }
  if (report.loaded > 0) return;
  const words = `no rule would be active: ${skippedRulesCounted(report)}`;
  throw new SensorError('no-rules', `${words}; ${skippedInWords(report)}`, {refusal: {words, report}});
};
