// SPDX-License-Identifier: Apache-2.0
import {digestOf, type TokenTable} from './token-file.ts';
import type {TokenAnswer} from './token-source.ts';

/** Tokens that are remembered; the oldest goes first. */
const RECENT_MAX = 1_000;
/** A shorter token may be one that a person chose: 128 random bits in hexadecimal have so many characters. */
const UNGUESSABLE_CHARS = 32;

/** A TokenSource that waits for nothing. */
export type TokenTableSource = {
  find(token: string): TokenAnswer;
  findUnguessed(token: string): TokenAnswer;
  /** Tokens that were right lately. */
  recent(): Iterable<string>;
};

/**
 * The tokens of a file. A token is looked up by its SHA-256 digest, so the time a refusal takes says nothing about how much of a
 * token was right. Those that were right lately are known without their digest.
 */
export const tokenTableSource = (users: TokenTable): TokenTableSource => {
  const answers = new Map([...users].map(([digest, user]) => [digest, {outcome: 'user', user} as const]));
  const recent = new Map<string, TokenAnswer>();
  const find = (token: string): TokenAnswer => {
    const known = recent.get(token);
    if (known !== undefined) return known;
    const answer = answers.get(digestOf(token));
    if (answer === undefined) return undefined;
    if (recent.size >= RECENT_MAX) recent.delete(recent.keys().next().value ?? '');
    recent.set(token, answer);
    return answer;
  };
  return {
    find,
    findUnguessed: token => (token.length >= UNGUESSABLE_CHARS ? find(token) : recent.get(token)),
    recent: () => recent.keys(),
  };
};
