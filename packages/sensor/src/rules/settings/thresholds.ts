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
/** A value of a line: its name, its form, and its form in words. */
type Step = readonly [name: string, form: RegExp, words: string];
const track = (...words: readonly string[]): Step => [
  'track',
  new RegExp(`^(?:${words.join('|')})$`),
  `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`,
];
const number = (name: string): Step => [name, /^\d+$/, 'a number'];
const TRACK = track('by_src', 'by_dst', 'by_both', 'by_rule', 'by_flow');
const ADDRESSES: Step = ['ip', /^[[\],$\s\da-zA-Z.:/_!]+$/, 'addresses such as 10.0.0.1 or [10.0.0.0/8,$HOME_NET]'];
const STEPS: Readonly<Record<string, readonly Step[]>> = {
  threshold: [
    ['type', /^(?:limit|both|threshold)$/, 'limit, threshold or both'],
    TRACK,
    number('count'),
    number('seconds'),
  ],
  rate_filter: [
    TRACK,
    number('count'),
    number('seconds'),
    ['new_action', /^(?:alert|drop|pass|log|sdrop|reject)$/, 'alert, drop, pass, log, sdrop or reject'],
    number('timeout'),
  ],
  suppress: [track('by_src', 'by_dst', 'by_either'), ADDRESSES],
};
const formOf = (steps: readonly Step[]): string => steps.map(([name, , words]) => `${name} (${words})`).join(', ');

/** The first word that is wrong, and what may be there; undefined: all is right. `text`: from the comma on. */
const stepFault = (kind: string, text: string): string | undefined => {
  const steps = STEPS[kind] ?? [];
  if (kind === 'suppress' && text.trim() === '') return undefined;
  let left = text.trim();
  for (const [at, step] of steps.entries()) {
    const [name, form, words] = step;
    const follows = formOf(steps.slice(at));
    if (left === '') return `${kind} ends where this must follow: ${follows}`;
    if (!left.startsWith(',')) return `${JSON.stringify(left)}: a comma must be in front of it`;
    const [, word = '', value = '', rest = ''] =
      (step === ADDRESSES ? /^,\s*(\S*)\s*(.*)()$/s : /^,\s*([^\s,]*)\s*([^,]*)(.*)$/s).exec(left) ?? [];
    if (word !== name) return `${JSON.stringify(word)} is not allowed there: ${kind} must continue with ${follows}`;
    if (!form.test(value.trim()))
      return `${JSON.stringify(value.trim())} is not allowed after ${name}: it must be ${words}`;
    left = rest.trim();
  }
  return left === '' ? undefined : `${JSON.stringify(left)} is too much: ${kind} must end before it`;
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
  const fault = stepFault(kind === 'event_filter' ? 'threshold' : kind, rest);
  if (fault !== undefined) return fault;
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
