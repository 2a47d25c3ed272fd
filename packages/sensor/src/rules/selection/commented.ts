// SPDX-License-Identifier: Apache-2.0
/** Rules that a file carries as comments, as public rule sets carry those that are off by default. */
import {parseOptions, type RuleText} from '../parse-rule.ts';

const COMMENTED = /^#[#\s]*((?:alert|drop|pass|reject|rejectsrc|rejectdst|rejectboth)\s+\S+\s.*(?:->|<>).*\(.*\)\s*)$/;
const HAS_SID = /[(;]\s*sid\s*:\s*\d+\s*;/;

/** Those of one line each: Suricata does not continue comments. */
export const commentedRules = (file: string): RuleText[] =>
  file.split('\n').flatMap((raw, index) => {
    const text = raw.startsWith('#') ? COMMENTED.exec(raw)?.[1]?.trim() : undefined;
    return text !== undefined && HAS_SID.test(text) ? [{line: index + 1, text}] : [];
  });

/** `gid:sid`; undefined: the rule has no sid. */
export const idOf = (rule: string): string | undefined => {
  const options = parseOptions(rule);
  const number = (name: string): string | undefined => {
    const value = options.find(option => option.name === name)?.value;
    return value !== undefined && /^\d+$/.test(value) ? String(Number(value)) : undefined;
  };
  const sid = number('sid');
  return sid === undefined ? undefined : `${number('gid') ?? '1'}:${sid}`;
};
