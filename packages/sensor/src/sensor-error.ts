// SPDX-License-Identifier: Apache-2.0
import type {RuleReport} from './rule-report.ts';

/** Closed list, and what each means; docs/reference/errors.md is made of it. */
export const SENSOR_ERRORS = {
  'engine-missing':
    'Suricata is not installed, or does not report its version: install it (Debian: suricata from bookworm-backports)',
  'engine-too-old': 'Suricata is older than 7.0: install a newer one',
  'driver-unavailable': 'the requested capture driver is not available or not permitted',
  'rule-file': 'a rule file cannot be read',
  'rule-settings':
    'a variable, a word that names rules, a threshold line or an included part of suricata.yaml is wrong',
  'rule-error': 'too many rules are refused; each is named with its file, line and reason',
  'no-rules': 'no rule would be active: the rule files contain no rules, or Suricata skips all of them',
  address: 'the address of an endpoint cannot be bound: it is not on this host, or in use',
  'start-failed': 'Suricata ended or reported an error before it was ready; the message repeats its output',
  'start-timeout': 'Suricata was not ready within the time limit',
  aborted: 'the start was cancelled: the endpoint was deleted, or the server is stopping',
  'command-failed': "Suricata's command socket did not answer as expected",
  closed: 'the sensors are closed, as at the end of a shutdown',
} as const;
export type SensorErrorCode = keyof typeof SENSOR_ERRORS;

/** A rule that Suricata skips since it is indented. `id`: undefined: it has no sid, or it is on a later line. */
export type IndentedRule = {readonly file: string; readonly line: number; readonly id?: string | undefined};
/** What else is to be known of rules that are refused. */
export type RuleNotes = {readonly indented: readonly IndentedRule[]; readonly warnings: readonly string[]};

/** `words`: why the set is refused, without its rules. */
export type RuleRefusal = {readonly words: string; readonly report: RuleReport};

/** An expected failure of the data plane. The message is readable on its own and says what to do. */
export class SensorError extends Error {
  override readonly name = 'SensorError';
  readonly code: SensorErrorCode;
  /** Of a rule set that was refused for its rules. */
  readonly refusal: RuleRefusal | undefined;
  readonly notes: RuleNotes | undefined;

  constructor(
    code: SensorErrorCode,
    message: string,
    details: {readonly refusal?: RuleRefusal; readonly notes?: RuleNotes | undefined; readonly cause?: unknown} = {},
  ) {
    super(message, details.cause === undefined ? undefined : {cause: details.cause});
    this.code = code;
    this.refusal = details.refusal;
    this.notes = details.notes;
  }
}

export const isSensorError = (error: unknown, code?: SensorErrorCode): error is SensorError =>
  error instanceof SensorError && (code === undefined || error.code === code);

/** The words of an unknown thrown thing. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The `code` of a system error (`ENOENT`, `EADDRINUSE`), or undefined. */
export const systemCode = (error: unknown): string | undefined => {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : undefined;
};
