// SPDX-License-Identifier: Apache-2.0
/** Tokens whose signature was right: what it covers cannot change, and looking at it again costs more than all other checks. */
const TOKENS_MAX = 1_000;

export class RecentTokens<Claims> {
  readonly #claims = new Map<string, Claims>();

  get(token: string): Claims | undefined {
    return this.#claims.get(token);
  }

  /** The oldest goes where there are too many. */
  add(token: string, claims: Claims): void {
    if (this.#claims.has(token)) return;
    if (this.#claims.size >= TOKENS_MAX) this.#claims.delete(this.#claims.keys().next().value ?? '');
    this.#claims.set(token, claims);
  }
}
