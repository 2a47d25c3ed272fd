// SPDX-License-Identifier: Apache-2.0
/** Refused rules in words, for a terminal, a log and an answer: what comes from a rule file is shown, and never acts on a terminal. */
import {RULE_FAULTS_MAX} from '../limits.ts';
import {type RuleFault, SensorError} from '../sensor-error.ts';

/** Characters of a rule, and of Suricata's reason (which may quote the rule). */
const RULE_WORDS_MAX = 120;
const REASON_WORDS_MAX = 500;
/** In the message; `ruleFaultLines` has all. */
const SHOWN_MAX = 3;

/** Controls, marks that turn the direction of text, and line ends. */
const UNSHOWN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const escaped = (char: string): string => {
  const code = char.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  return code < 0x100 ? `\\x${digits.padStart(2, '0')}` : `\\u{${digits}}`;
};

const visible = (text: string, max = Number.POSITIVE_INFINITY): string =>
  (text.length > max ? `${text.slice(0, max)}…` : text).replace(UNSHOWN, escaped);

/** One line for each refused rule, in their order: file, line, Suricata's reason, and the rule. */
export const ruleFaultLines = (faults: readonly RuleFault[]): string[] =>
  faults.map(
    ({file, line, reason, rule}) =>
      `${visible(file)}, line ${line}: ${visible(reason, REASON_WORDS_MAX)} (rule: ${visible(rule, RULE_WORDS_MAX)})`,
  );

/** Of a list that ends at `RULE_FAULTS_MAX`. */
export const counted = ({length}: readonly unknown[]): string =>
  length < RULE_FAULTS_MAX ? String(length) : `${length} or more`;

/** How many are refused: `8 rules are refused`. */
export const ruleFaultsCounted = (faults: readonly RuleFault[]): string =>
  faults.length === 1 ? 'A rule is refused' : `${counted(faults)} rules are refused`;

/** SensorError `rule-error`: the first faults in the message, all in `faults`. */
export const ruleError = (faults: readonly RuleFault[]): SensorError => {
  const shown = ruleFaultLines(faults.slice(0, SHOWN_MAX)).join('; ');
  const more = faults.length > SHOWN_MAX ? ` and ${faults.length - SHOWN_MAX} more (see the log)` : '';
  return new SensorError('rule-error', `${ruleFaultsCounted(faults)}: ${shown}${more}`, {faults});
};

/** For the log: what is the matter in short, and every refused rule in a field of its own. */
export const refusalForLog = ({
  code,
  message,
  faults,
}: SensorError): {readonly words: string; readonly fields: {readonly code: string; readonly refused?: string[]}} =>
  faults.length === 0
    ? {words: message, fields: {code}}
    : {words: ruleFaultsCounted(faults), fields: {code, refused: ruleFaultLines(faults)}};
