// SPDX-License-Identifier: Apache-2.0
/**
 * Words that name rules, as in disable.conf and enable.conf of suricata-update: `2019401`, `1:2019401`, `group:emerging-dns.rules`,
 * `re:EXPRESSION`. Ref: suricata-update, matchers.py.
 */
import {posix} from 'node:path';

export type Matchable = {
  /** Undefined: the rule has no sid. */
  readonly id: string | undefined;
  /** Of its file. */
  readonly path: string;
  readonly text: string;
};
type Test = (rule: Matchable) => boolean;

const ID = /^(?:(\d+):)?(\d+)$/;
const FORM = 'must be SID, GID:SID, group:FILE or re:EXPRESSION';

const escapeExpression = (text: string): string => text.replace(/[.+^${}()|[\]\\]/g, '\\$&');
/** `*` and `?` of a file name. */
const globOf = (pattern: string): RegExp =>
  new RegExp(`^${escapeExpression(pattern).replaceAll('*', '.*').replaceAll('?', '.')}$`, 's');

const groupTest = (pattern: string): Test => {
  const glob = globOf(pattern);
  return ({path}) => {
    const name = posix.basename(path);
    return glob.test(name) || glob.test(name.replace(/\.[^.]*$/, ''));
  };
};

/** A regular expression of a user, or what is wrong with it. Python's `(?i)` in front is what `flags` has anyway, or adds it. */
export const expressionOf = (text: string, flags: string): RegExp | string => {
  const bare = text.replace(/^\(\?i\)/, '');
  const all = bare === text || flags.includes('i') ? flags : `${flags}i`;
  try {
    return new RegExp(bare, all);
  } catch (error) {
    return `not a regular expression (${(error as Error).message.replace(/^Invalid regular expression: /, '')})`;
  }
};

/** The test of a word, or what is wrong with it. */
const testOf = (word: string): Test | string => {
  if (word.startsWith('group:')) return groupTest(word.slice('group:'.length).trim());
  if (word.startsWith('re:')) {
    const expression = expressionOf(word.slice('re:'.length).trim(), 'i');
    return typeof expression === 'string' ? expression : ({text}) => expression.test(text);
  }
  return FORM;
};

/** `gid:sid` for words that name one rule, or several with commas. */
const idsIn = (word: string): string[] | undefined => {
  const ids = word.split(',').map(part => {
    const [, gid = '1', sid] = ID.exec(part.trim()) ?? [];
    return sid === undefined ? undefined : `${Number(gid)}:${Number(sid)}`;
  });
  return ids.includes(undefined) ? undefined : ids.filter(id => id !== undefined);
};

/** Many words of one list. It notes which of them have matched a rule. */
export class RuleMatcher {
  readonly #ids = new Map<string, string>();
  readonly #tests: {readonly word: string; readonly test: Test}[] = [];
  readonly #used = new Set<string>();
  readonly faults: readonly string[];

  constructor(words: readonly string[]) {
    const faults: string[] = [];
    for (const word of words) {
      const ids = idsIn(word);
      const test = ids === undefined ? testOf(word.trim()) : undefined;
      for (const id of ids ?? []) this.#ids.set(id, word);
      if (typeof test === 'string') faults.push(`${word}: ${test}`);
      else if (test !== undefined) this.#tests.push({word, test});
    }
    this.faults = faults;
  }

  matches(rule: Matchable): boolean {
    const named = rule.id === undefined ? undefined : this.#ids.get(rule.id);
    if (named !== undefined) this.#used.add(named);
    const found = this.#tests.filter(({test}) => test(rule));
    for (const {word} of found) this.#used.add(word);
    return named !== undefined || found.length > 0;
  }

  /** Words that have matched a rule. */
  get used(): ReadonlySet<string> {
    return this.#used;
  }
}
