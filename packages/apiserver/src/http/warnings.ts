// SPDX-License-Identifier: Apache-2.0
/** Warning headers, RFC 7234 code 299. Ref: kubernetes v1.36 apiserver/pkg/warning, endpoints/filters/warning.go. */
export class Warnings {
  readonly #texts: string[] = [];

  add(text: string): void {
    if (!this.#texts.includes(text)) this.#texts.push(text);
  }

  get isEmpty(): boolean {
    return this.#texts.length === 0;
  }

  /** One header value each, in the order they were added. */
  toHeaders(): string[] {
    return this.#texts.map(text => `299 - "${quoted(text)}"`);
  }
}

/** Inside a quoted string: backslash and quote escaped, control characters gone, what headers cannot carry as UTF-8 bytes. */
const quoted = (text: string): string => {
  const escaped = text.replace(/[\\"]/g, '\\$&').replace(/[\p{Cc}]/gu, ' ');
  return /^[\x20-\x7e]*$/.test(escaped) ? escaped : Buffer.from(escaped, 'utf8').toString('latin1');
};
