// SPDX-License-Identifier: Apache-2.0
/** What is known of the rules of a set before Suricata is asked. */
import {isUtf8} from 'node:buffer';
import {RULE_BYTES_MAX} from '../limits.ts';
import {forbiddenIn} from './parse-rule.ts';
import type {LoadedFile} from './source/rule-file.ts';

export type RuleLine = {readonly file: string; readonly line: number};

/** An active rule of a file. */
export type GivenRule = RuleLine & {
  /** Of the file among those given, from 0. */
  readonly fileIndex: number;
  /** Its place among the rules of its file, from 1. */
  readonly number: number;
  readonly text: string;
  /** What Suricata gets: files that the rule names have the names that they have in the rule set. */
  readonly engineText: string;
  /** Why it must not be shown to Suricata; undefined: nothing is wrong that we know. */
  readonly fault: string | undefined;
};

const NOT_UTF8 = 'the rule is not valid UTF-8: write bytes of a content as hex (|E9|) and other text as UTF-8';
const LINE_END = 'a change of the rule puts a line end into it';

/** Undefined: the rule holds bytes that are no UTF-8. */
const inUtf8 = (rule: string, encoding: LoadedFile['encoding']): string | undefined => {
  if (encoding === 'utf8') return rule;
  const bytes = Buffer.from(rule, encoding);
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
};

/** Suricata reads a longer rule as several, the first of which it may even take. */
export const tooLong = (rule: string): string | undefined => {
  const bytes = Buffer.byteLength(rule);
  return bytes > RULE_BYTES_MAX
    ? `the rule has ${bytes} bytes, and Suricata reads at most ${RULE_BYTES_MAX}: shorten it or split it`
    : undefined;
};

/** `text`: as it is in the file, or as a change has made it. */
export const givenRule = (
  place: Pick<GivenRule, 'file' | 'fileIndex' | 'line' | 'number'>,
  text: string,
  encoding: LoadedFile['encoding'],
): GivenRule => {
  const rule = inUtf8(text, encoding);
  const fault = rule === undefined ? NOT_UTF8 : /[\r\n\0]/.test(rule) ? LINE_END : (tooLong(rule) ?? forbiddenIn(rule));
  const shown = rule ?? text;
  return {...place, text: shown, engineText: shown, fault};
};
