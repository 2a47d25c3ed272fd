// SPDX-License-Identifier: Apache-2.0
/** Suricata's own log: one JSON object a line (stdout: notices, stderr: errors), or plain text before its logging is set up. */
import {RULE_FAULTS_MAX, SENSOR_LIMITS} from '../limits.ts';
import type {RuleFault} from '../sensor-error.ts';

export type EngineLogLine = {
  readonly level: 'notice' | 'info' | 'warning' | 'error' | 'text';
  readonly message: string;
};

/** Undefined for a blank line. Never throws. */
export const parseEngineLogLine = (line: string): EngineLogLine | undefined => {
  const text = line.trim();
  if (text === '') return undefined;
  if (!text.startsWith('{')) return {level: 'text', message: text};
  try {
    const value = JSON.parse(text) as {log_level?: unknown; engine?: {message?: unknown}};
    const message = value.engine?.message;
    if (typeof message !== 'string') return {level: 'text', message: text};
    const level = String(value.log_level).toLowerCase();
    return {level: level === 'error' || level === 'warning' || level === 'notice' ? level : 'info', message};
  } catch {
    return {level: 'text', message: text}; // a torn line is still worth showing
  }
};

/** Cuts a stream of chunks into lines; `end` gives the rest. Lines longer than the limit are cut there. */
export class LineSplitter {
  #rest = '';
  readonly #onLine: (line: string) => void;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = (lines.pop() ?? '').slice(0, SENSOR_LIMITS.eveReadBytes);
    for (const line of lines) this.#onLine(line);
  }

  end(): void {
    if (this.#rest !== '') this.#onLine(this.#rest);
    this.#rest = '';
  }
}

/** The readiness mark. Ref: Suricata 7 tm-threads.c, TmThreadWaitOnThreadRunning. */
export const isEngineStarted = (line: EngineLogLine): boolean => line.message.includes('Engine started');

export const isDiskFull = (line: EngineLogLine): boolean => /No space left on device/i.test(line.message);

const PARSE_ERROR = /^error parsing signature "(.*)" from file (.+) at line (\d+)\s*$/s;

/**
 * Pairs each "error parsing signature" line with the reason lines before it. Errors that name no rule are returned as `others`.
 * `fileOf` maps Suricata's path to the name the user knows.
 */
export const ruleFaultsOf = (
  lines: readonly EngineLogLine[],
  fileOf: (path: string) => string,
): {readonly faults: RuleFault[]; readonly others: string[]} => {
  const faults: RuleFault[] = [];
  let reasons: string[] = [];
  for (const line of lines) {
    if (line.level !== 'error' && line.level !== 'text') continue;
    const match = PARSE_ERROR.exec(line.message);
    if (match === null) {
      reasons.push(line.message);
      continue;
    }
    const [, rule = '', path = '', number = '0'] = match;
    if (faults.length < RULE_FAULTS_MAX)
      faults.push({file: fileOf(path), line: Number(number), rule, reason: reasons.join('; ') || 'refused'});
    reasons = [];
  }
  return {faults, others: reasons.filter(text => text !== 'Loading signatures failed.')};
};
