// SPDX-License-Identifier: Apache-2.0
/** Rule files as the user gave them: read, and taken apart into the rules that are to be in force. */
import {isUtf8} from 'node:buffer';
import {constants, type Stats} from 'node:fs';
import {access, readFile, stat} from 'node:fs/promises';
import {RULE_BYTES_MAX, RULE_FILE_BYTES_MAX, RULES_LISTED_MAX} from '../limits.ts';
import {SensorError, systemCode} from '../sensor-error.ts';
import {forbiddenIn, splitRules} from './parse-rule.ts';

export type LoadedFile = {
  /** As the user gave it. */
  readonly source: string;
  readonly text: string;
  /** What `text` was read as: a comment may hold bytes that are no UTF-8. */
  readonly encoding: 'utf8' | 'latin1';
};

export type RuleLine = {readonly file: string; readonly line: number};

/** An enabled rule of a file. */
export type GivenRule = RuleLine & {
  /** Of the file among those given, from 0. */
  readonly fileIndex: number;
  /** Its place among the rules of its file, from 1. */
  readonly number: number;
  readonly text: string;
  /** Why it must not be shown to Suricata; undefined: nothing is wrong that we know. */
  readonly fault: string | undefined;
};

const WHY_NOT_READ: Readonly<Record<string, string>> = {
  ENOENT: 'no such file; check the path',
  EACCES: 'permission denied',
  EISDIR: 'is a folder; give a file',
};
const BYTE_ORDER_MARK = /^\ufeff/;

/** What `read` gives of a file that is not too large, or why it cannot be read. */
const ofRuleFile = async <T extends object>(source: string, read: () => Promise<T | string>): Promise<T | string> => {
  try {
    const {size} = await stat(source);
    return size > RULE_FILE_BYTES_MAX ? `${source}: larger than ${RULE_FILE_BYTES_MAX} bytes` : await read();
  } catch (error) {
    return `${source}: ${WHY_NOT_READ[systemCode(error) ?? ''] ?? String(error)}`;
  }
};

const unlessFaulty = <T extends object>(results: readonly (T | string)[]): T[] => {
  const faults = results.filter(result => typeof result === 'string');
  if (faults.length > 0) throw new SensorError('rule-file', `Rule file ${faults.join('; rule file ')}`);
  return results.filter(result => typeof result !== 'string');
};

const readRuleFile = async (source: string): Promise<LoadedFile | string> => {
  const bytes = await readFile(source);
  if (bytes.includes(0)) return `${source}: not a text file: it contains a NUL byte`;
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  return {source, text: bytes.toString(encoding).replace(BYTE_ORDER_MARK, ''), encoding};
};

/** All files or SensorError `rule-file` with all faults. */
export const readRuleFiles = async (sources: readonly string[]): Promise<LoadedFile[]> =>
  unlessFaulty(await Promise.all(sources.map(source => ofRuleFile(source, () => readRuleFile(source)))));

/**
 * Whether the files could be read, without reading any: a pipe gives its text only once. Throws SensorError `rule-file` with
 * all faults.
 */
export const checkRuleFiles = async (sources: readonly string[]): Promise<void> => {
  const open = async (source: string): Promise<Stats> => {
    const info = await stat(source);
    if (info.isDirectory()) throw Object.assign(new Error('EISDIR'), {code: 'EISDIR'});
    await access(source, constants.R_OK);
    return info;
  };
  unlessFaulty(await Promise.all(sources.map(source => ofRuleFile(source, () => open(source)))));
};

const NOT_UTF8 = 'the rule is not valid UTF-8: write bytes of a content as hex (|E9|) and other text as UTF-8';

/** Undefined: the rule holds bytes that are no UTF-8. */
const inUtf8 = (rule: string, encoding: LoadedFile['encoding']): string | undefined => {
  if (encoding === 'utf8') return rule;
  const bytes = Buffer.from(rule, encoding);
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
};

/** Suricata reads a longer rule as several, the first of which it may even take. */
const tooLong = (rule: string): string | undefined => {
  const bytes = Buffer.byteLength(rule);
  return bytes > RULE_BYTES_MAX
    ? `the rule has ${bytes} bytes, and Suricata reads at most ${RULE_BYTES_MAX}: shorten it or split it`
    : undefined;
};

/** The enabled rules of all files in order, and the lines (at most `RULES_LISTED_MAX`) with rules that Suricata skips since they are indented. */
export const givenRules = (files: readonly LoadedFile[]): {rules: GivenRule[]; indented: RuleLine[]} => {
  const indented: RuleLine[] = [];
  const rules = files.flatMap(({source: file, text: whole, encoding}, fileIndex) => {
    const onIndented = (line: number): void => {
      if (indented.length < RULES_LISTED_MAX) indented.push({file, line});
    };
    return splitRules(whole, onIndented).map(({line, text}, index): GivenRule => {
      const rule = inUtf8(text, encoding);
      const fault = rule === undefined ? NOT_UTF8 : (tooLong(rule) ?? forbiddenIn(rule));
      return {file, fileIndex, line, number: index + 1, text: rule ?? text, fault};
    });
  });
  return {rules, indented};
};
