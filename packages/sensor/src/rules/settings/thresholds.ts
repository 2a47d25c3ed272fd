// SPDX-License-Identifier: Apache-2.0
/**
 * Lines of threshold.config. Suricata stops at the first faulty one and ignores the whole file, without its line: so each line is
 * checked here for its form, and what Suricata still refuses is searched by halves. Ref: Suricata 7 util-threshold-config.c.
 */
import {readFile, stat} from 'node:fs/promises';
import {SETTINGS_BYTES_MAX, THRESHOLD_FAULTS_MAX} from '../../limits.ts';
import {messageOf, systemCode} from '../../sensor-error.ts';
import type {VariableGroups} from '../../suricata/settings/variable-groups.ts';
import {variablesIn} from './rule-header.ts';
import {missingVariables} from './variables.ts';

export type ThresholdLine = {readonly file: string; readonly line: number; readonly text: string};

const EXAMPLE = 'suppress gen_id 1, sig_id 2100498, track by_src, ip 10.0.0.1';
const BASE = /^\s*(event_filter|threshold|rate_filter|suppress)\s+gen_id\s+(\d+)\s*,\s*sig_id\s+(\d+)\s*(.*)$/;
const TRACK = 'by_src, by_dst, by_both or by_rule';
const FORMS: Readonly<Record<string, {readonly form: RegExp; readonly words: string}>> = {
  threshold: {
    form: /^,\s*type\s+(limit|both|threshold)\s*,\s*track\s+(by_dst|by_src|by_both|by_rule|by_flow)\s*,\s*count\s+\d+\s*,\s*seconds\s+\d+\s*$/,
    words: `must continue with: type limit, threshold or both, track ${TRACK}, count N, seconds N`,
  },
  rate_filter: {
    form: /^,\s*track\s+(by_dst|by_src|by_both|by_rule|by_flow)\s*,\s*count\s+\d+\s*,\s*seconds\s+\d+\s*,\s*new_action\s+(alert|drop|pass|log|sdrop|reject)\s*,\s*timeout\s+\d+\s*$/,
    words: `must continue with: track ${TRACK}, count N, seconds N, new_action alert, timeout N`,
  },
  suppress: {
    form: /^(,\s*track\s+(by_dst|by_src|by_either)\s*,\s*ip\s+[[\],$\s\da-zA-Z.:/_!]+)?\s*$/,
    words: 'must end there, or continue with: track by_src, by_dst or by_either, ip ADDRESSES',
  },
};

/** Of one file; comments and empty lines are left out, continued lines are joined. */
export const thresholdLines = (file: string, text: string): ThresholdLine[] => {
  const lines: ThresholdLine[] = [];
  let pending: {readonly line: number; readonly text: string} | undefined;
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.replace(/\r$/, '');
    if (pending === undefined && /^\s*(#|$)/.test(line)) continue;
    const whole: string = (pending?.text ?? '') + line.replace(/\\\s*$/, '');
    const first = pending?.line ?? index + 1;
    if (/\\\s*$/.test(line)) pending = {line: first, text: whole};
    else {
      lines.push({file, line: first, text: whole.trim()});
      pending = undefined;
    }
  }
  return pending === undefined ? lines : [...lines, {file, line: pending.line, text: pending.text.trim()}];
};

const formFault = (text: string, groups: VariableGroups): string | undefined => {
  const [, kind, , , rest = ''] = BASE.exec(text) ?? [];
  if (kind === undefined)
    return `must be a threshold, rate_filter or suppress with gen_id and sig_id, such as "${EXAMPLE}"`;
  const {form, words} = FORMS[kind === 'event_filter' ? 'threshold' : kind] ?? {form: /^/, words: ''};
  if (!form.test(rest)) return `${kind} ${words}`;
  return missingVariables(
    variablesIn(rest).map(name => ({name, group: 'address' as const})),
    groups,
  );
};

const named = ({file, line}: ThresholdLine, fault: string): string => `${file}, line ${line}: ${fault}`;

/** `faults`: one each, with file and line. */
export const readThresholds = async (
  paths: readonly string[],
  groups: VariableGroups,
): Promise<{readonly lines: readonly ThresholdLine[]; readonly faults: readonly string[]}> => {
  const lines: ThresholdLine[] = [];
  const faults: string[] = [];
  for (const path of paths)
    try {
      if ((await stat(path)).size > SETTINGS_BYTES_MAX) faults.push(`${path}: larger than ${SETTINGS_BYTES_MAX} bytes`);
      else lines.push(...thresholdLines(path, await readFile(path, 'utf8')));
    } catch (error) {
      faults.push(`${path}: ${systemCode(error) === 'ENOENT' ? 'no such file' : messageOf(error)}`);
    }
  for (const line of lines) {
    const fault = formFault(line.text, groups);
    if (fault !== undefined) faults.push(named(line, fault));
  }
  return {lines, faults};
};

export const thresholdText = (lines: readonly ThresholdLine[]): string => lines.map(({text}) => `${text}\n`).join('');

/** What Suricata refuses of the lines, with file and line. `refusal`: its words for a text, undefined if it takes it. */
export const refusedThresholds = async (
  lines: readonly ThresholdLine[],
  refusal: (text: string) => Promise<string | undefined>,
): Promise<string[]> => {
  const faults: string[] = [];
  let left = lines;
  while (faults.length < THRESHOLD_FAULTS_MAX) {
    let words = left.length === 0 ? undefined : await refusal(thresholdText(left));
    if (words === undefined) return faults;
    let [good, bad] = [0, left.length];
    while (bad - good > 1) {
      const middle = Math.floor((good + bad) / 2);
      const found = await refusal(thresholdText(left.slice(0, middle)));
      if (found === undefined) good = middle;
      else [bad, words] = [middle, found];
    }
    const line = left[bad - 1];
    if (line === undefined) return faults;
    faults.push(named(line, words));
    left = left.toSpliced(bad - 1, 1);
  }
  return faults;
};

const SIGNATURE = /gen_id\s+(\d+)\s*,\s*sig_id\s+(\d+)/;

/** Lines about a rule that is not active: they do nothing. */
export const idleThresholds = (lines: readonly ThresholdLine[], isActive: (id: string) => boolean): string[] =>
  lines.flatMap(line => {
    const [, gid, sid] = SIGNATURE.exec(line.text) ?? [];
    const isIdle = gid !== undefined && sid !== undefined && Number(gid) > 0 && Number(sid) > 0;
    return isIdle && !isActive(`${Number(gid)}:${Number(sid)}`)
      ? [named(line, `there is no active rule ${Number(gid)}:${Number(sid)}`)]
      : [];
  });
