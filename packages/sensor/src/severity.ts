// SPDX-License-Identifier: Apache-2.0
/**
 * How severe a signature is: the one table. The first row that applies decides.
 *
 * | the rule says                                        | severity      |
 * |------------------------------------------------------|---------------|
 * | metadata `signature_severity Critical`               | CRITICAL      |
 * | metadata `signature_severity Major`                  | HIGH          |
 * | metadata `signature_severity Minor`                  | LOW           |
 * | metadata `signature_severity Informational`, `Unknown`, `Audit` | INFORMATIONAL |
 * | none of these, priority 1 (own or of its classtype)  | HIGH          |
 * | none of these, priority 2                            | MEDIUM        |
 * | none of these, priority 3 (Suricata's default)       | LOW           |
 * | none of these, priority 4 to 255                     | INFORMATIONAL |
 *
 * So MEDIUM comes only from priority 2 without `signature_severity`. Ref: requirements I-031, I-117.
 */
import {SEVERITIES, type Severity} from '@palisade/ids-wire';

/** Keys in lower case: rule writers differ in case. */
export const SIGNATURE_SEVERITIES: ReadonlyMap<string, Severity> = new Map([
  ['critical', 'CRITICAL'],
  ['major', 'HIGH'],
  ['minor', 'LOW'],
  ['informational', 'INFORMATIONAL'],
  ['unknown', 'INFORMATIONAL'],
  ['audit', 'INFORMATIONAL'],
]);

/** Index: Suricata's priority; beyond the end: INFORMATIONAL. 0 does not exist. */
const BY_PRIORITY: readonly (Severity | undefined)[] = [undefined, 'HIGH', 'MEDIUM', 'LOW'];

/** Suricata's priority for a rule that names none and whose classtype names none. */
export const DEFAULT_PRIORITY = 3;

/** `signatureSeverity`: values of the rule's metadata key, in rule order; the first one in the table counts. */
export const severityOf = (signatureSeverity: readonly string[], priority: number): Severity => {
  for (const word of signatureSeverity) {
    const severity = SIGNATURE_SEVERITIES.get(word.trim().toLowerCase());
    if (severity !== undefined) return severity;
  }
  return BY_PRIORITY[priority] ?? 'INFORMATIONAL';
};

/** True when `severity` is at or above `lowest`. */
export const reaches = (severity: Severity, lowest: Severity): boolean =>
  SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(lowest);

/** The severity, and which row of the table it is from. */
export const explainSeverity = (
  {
    words,
    priority,
    from,
  }: {
    readonly words: readonly string[];
    readonly priority: number;
    readonly from: 'rule' | 'classtype' | 'default';
  },
  classtype: string,
): {readonly severity: Severity; readonly reason: string} => {
  const severity = severityOf(words, priority);
  const word = words.find(text => SIGNATURE_SEVERITIES.has(text.trim().toLowerCase()));
  if (word !== undefined) return {severity, reason: `metadata signature_severity ${word}`};
  const reasons = {
    rule: `priority ${priority} of the rule`,
    classtype: `priority ${priority} of classtype ${classtype}`,
    default: `default priority ${priority}, as the rule has no signature_severity, priority or known classtype`,
  };
  return {severity, reason: reasons[from]};
};
