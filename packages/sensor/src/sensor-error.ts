// SPDX-License-Identifier: Apache-2.0

/** Closed list; `docs/reference/errors.md` explains each. */
export const SENSOR_ERROR_CODES = [
  /** The Suricata program is not there. */
  'engine-missing',
  /** Suricata is older than 7.0. */
  'engine-too-old',
  /** The capture driver asked for is not there, or not permitted. */
  'driver-unavailable',
  /** A rule file cannot be read. */
  'rule-file',
  /** A rule is refused; see `faults`. */
  'rule-error',
  /** The rule files hold no rule. */
  'no-rules',
  /** The address cannot be bound (not on this host, in use). */
  'address',
  /** Suricata ended or said an error before it was ready. */
  'start-failed',
  /** Suricata was not ready within the limit. */
  'start-timeout',
  /** The caller gave up. */
  'aborted',
  /** The command socket did not answer as it should. */
  'command-failed',
  /** The host was closed. */
  'closed',
] as const;
export type SensorErrorCode = (typeof SENSOR_ERROR_CODES)[number];

/** One refused rule. `line` is the last line of the rule in its file, from 1; 0 when Suricata named none. */
export type RuleFault = {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly reason: string;
};

/** An expected failure of the data plane. The message is readable on its own and says what to do. */
export class SensorError extends Error {
  override readonly name = 'SensorError';
  readonly code: SensorErrorCode;
  /** All refused rules of one check, at most RULE_FAULTS_MAX. */
  readonly faults: readonly RuleFault[];

  constructor(
    code: SensorErrorCode,
    message: string,
    details: {readonly faults?: readonly RuleFault[]; readonly cause?: unknown} = {},
  ) {
    super(message, details.cause === undefined ? undefined : {cause: details.cause});
    this.code = code;
    this.faults = details.faults ?? [];
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
