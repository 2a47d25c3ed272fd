// SPDX-License-Identifier: Apache-2.0
/** Warning headers, RFC 7234 code 299. Ref: kubernetes v1.36 apiserver/pkg/warning, endpoints/filters/warning.go. */

/** Characters of all texts together that are sent whole. */
const WHOLE_CHARACTERS_MAX = 4_096;
/** Characters that each text is cut to where all together are more than that. */
const CUT_CHARACTERS = 256;

export class Warnings {
  readonly #texts = new Set<string>();

  /** A text that headers cannot carry is not told: upstream makes no header of one with control characters. */
  add(text: string): void {
    if (!/\p{Cc}/u.test(text)) this.#texts.add(text);
  }

  get isEmpty(): boolean {
    return this.#texts.size === 0;
  }

  /** One header value each, in the order they were added. Clients refuse long headers: what is too much is cut. */
  toHeaders(): string[] {
    return bounded([...this.#texts]).map(text => `299 - "${quoted(text)}"`);
  }
}

/** The texts as they are, or all cut, of which those go whose turn comes when the limit is reached. */
const bounded = (texts: readonly string[]): readonly string[] => {
  const excess = endWithin(texts, WHOLE_CHARACTERS_MAX);
  if (excess === texts.length) return texts;
  const all = texts.map(text => [...text].slice(0, CUT_CHARACTERS).join(''));
  return all.slice(0, Math.max(excess, endWithin(all, WHOLE_CHARACTERS_MAX - 1)) + 1);
};

/** Index of the first text with which the sum of lengths is over the limit; the number of texts if none is. */
const endWithin = (texts: readonly string[], charactersMax: number): number => {
  let sum = 0;
  const index = texts.findIndex(text => {
    sum += [...text].length;
    return sum > charactersMax;
  });
  return index < 0 ? texts.length : index;
};

/** Inside a quoted string: backslash and quote escaped, what headers cannot carry as UTF-8 bytes. */
const quoted = (text: string): string => {
  const escaped = text.replace(/[\\"]/g, '\\$&');
  return /^[\x20-\x7e]*$/.test(escaped) ? escaped : Buffer.from(escaped, 'utf8').toString('latin1');
};
