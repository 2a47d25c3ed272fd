// SPDX-License-Identifier: Apache-2.0
/** Rules that are not in force in words, for a terminal, a log and an answer: what comes from a rule file is shown, and never acts on a terminal. */
import {RULES_LISTED_MAX} from '../limits.ts';
import type {RuleFault, RuleList, RuleReport} from '../rule-report.ts';
import type {SensorError} from '../sensor-error.ts';

/** In a message; the log and the health have more. */
const SHOWN_MAX = 3;

/** Controls, marks that turn the direction of text, and line ends. */
const UNSHOWN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const escaped = (char: string): string => {
  const code = char.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  return code < 0x100 ? `\\x${digits.padStart(2, '0')}` : `\\u{${digits}}`;
};

const visible = (text: string): string => text.replace(UNSHOWN, escaped);

/** Of a rule in a line. */
const RULE_CHARS_MAX = 120;
const shownRule = (rule: string): string =>
  visible(rule.length > RULE_CHARS_MAX ? `${rule.slice(0, RULE_CHARS_MAX)}…` : rule);

/** `rule 3 of my.rules (line 17)`. */
export const nameOfRule = ({file, number, line}: Pick<RuleFault, 'file' | 'number' | 'line'>): string =>
  `rule ${number} of ${visible(file)} (line ${line})`;

/** A list that disables the sid would turn off the rule that has it first, too. */
const DUPLICATE = /^Duplicate signature/i;

/** Suricata repeats the rule, which is shown anyway. */
const reasonOf = (reason: string): string =>
  DUPLICATE.test(reason) ? 'duplicate signature' : reason.replace(/\.$/, '');

const nameAndReason = (fault: RuleFault): string => `${nameOfRule(fault)}: ${visible(reasonOf(fault.reason))}`;

const wayOut = ({sid, reason}: RuleFault): string => {
  if (DUPLICATE.test(reason))
    return `another rule has this sid${sid === undefined ? '' : ` (${sid})`}: give it another sid or remove it`;
  return sid === undefined ? 'fix it or comment it out' : `fix it or disable it with --disable-sid ${sid}`;
};

/** One line for each refused rule: its place, Suricata's reason, the way out, and the rule. */
export const ruleFaultLines = (faults: readonly RuleFault[]): string[] =>
  faults.map(fault => `${nameAndReason(fault)}; ${wayOut(fault)}: ${shownRule(fault.rule)}`);

/** One line for each skipped rule: its place, what it requires, and the rule. */
export const skippedRuleLines = (faults: readonly RuleFault[]): string[] =>
  faults.map(fault => `${nameAndReason(fault)}: ${shownRule(fault.rule)}`);

const counted = (count: number, of: number, what: string): string =>
  `${count} of ${of} ${of === 1 ? 'rule' : 'rules'} ${count === 1 ? 'is' : 'are'} ${what}`;

/** `8 of 900 rules are refused`. */
export const ruleFaultsCounted = ({given, refused}: RuleReport): string => counted(refused.count, given, 'refused');
export const skippedRulesCounted = ({given, skipped}: RuleReport): string => counted(skipped.count, given, 'skipped');

/** The first rules of a list, for a message that has no room for all. */
const firstOf = ({count, listed}: RuleList): string => {
  const more = count > SHOWN_MAX ? ` and ${count - SHOWN_MAX} more` : '';
  return `${listed.slice(0, SHOWN_MAX).map(nameAndReason).join('; ')}${more}`;
};

/** `rule 3 of my.rules (line 17): …; rule 4 of … and 5 more`. */
export const refusedInWords = ({refused}: RuleReport): string => firstOf(refused);
export const skippedInWords = ({skipped}: RuleReport): string => firstOf(skipped);

/** For the health of a set that is in force without them: the first `RULES_LISTED_MAX` of each kind, one line each. */
export type LeftOutInWords = {
  readonly refused: readonly string[];
  readonly skipped: readonly string[];
  /** Undefined: no rule is refused. */
  readonly refusedInShort: string | undefined;
};

export const leftOutOf = (report: RuleReport): LeftOutInWords => ({
  refused: ruleFaultLines(report.refused.listed.slice(0, RULES_LISTED_MAX)),
  skipped: skippedRuleLines(report.skipped.listed.slice(0, RULES_LISTED_MAX)),
  refusedInShort: report.refused.count === 0 ? undefined : `${ruleFaultsCounted(report)}: ${refusedInWords(report)}`,
});

type LogPart = {readonly words: string; readonly fields: object};

/** Lists of any length as lines of a log: `name` is the field that holds the rules of that line. */
const inParts = (words: string, name: string, lines: readonly string[]): LogPart[] => {
  const parts: LogPart[] = [];
  for (let from = 0; from < lines.length; from += RULES_LISTED_MAX) {
    const part = lines.slice(from, from + RULES_LISTED_MAX);
    const place = from === 0 && part.length === lines.length ? '' : ` (${from + 1} to ${from + part.length})`;
    parts.push({words: words + place, fields: {[name]: part}});
  }
  return parts;
};

/** Every refused and skipped rule that is listed, `RULES_LISTED_MAX` to a line. `words`: for the refused ones. */
export const reportForLog = (report: RuleReport, words = ruleFaultsCounted(report)): LogPart[] => [
  ...inParts(words, 'refused', ruleFaultLines(report.refused.listed)),
  ...inParts(skippedRulesCounted(report), 'skipped', skippedRuleLines(report.skipped.listed)),
];

/** What is wrong in short, and every rule of it in a field. */
export const refusalForLog = ({code, message, refusal}: SensorError): LogPart[] =>
  refusal === undefined
    ? [{words: message, fields: {code}}]
    : reportForLog(refusal.report, refusal.words).map(({words, fields}) => ({words, fields: {code, ...fields}}));
