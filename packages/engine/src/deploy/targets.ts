// SPDX-License-Identifier: Apache-2.0
/** `--target`, `--target-dependents`, `--replace`. Patterns: `*` within a part between colons, `**` across them. */
import {isProviderType, parseUrn, ROOT_STACK_TYPE} from '../state/urn.ts';

export class Targets {
  readonly #patterns: readonly RegExp[];
  readonly #replace: readonly RegExp[];
  readonly #withDependents: boolean;
  readonly #added = new Set<string>();

  constructor(options: {targets?: readonly string[]; dependents?: boolean; replace?: readonly string[]} = {}) {
    const replace = options.replace ?? [];
    this.#replace = replace.map(toPattern);
    this.#patterns = [...(options.targets ?? [])].map(toPattern);
    this.#withDependents = options.dependents === true;
  }

  get isConstrained(): boolean {
    return this.#patterns.length > 0;
  }

  get withDependents(): boolean {
    return this.#withDependents;
  }

  /** True for everything when there are no targets. `needs`: URNs the resource depends on. */
  includes(urn: string, needs: Iterable<string> = []): boolean {
    if (!this.isConstrained || this.#added.has(urn)) return true;
    const {type} = parseUrn(urn);
    if (isProviderType(type) || type === ROOT_STACK_TYPE) return true;
    if (this.names(urn)) return true;
    if (!this.#withDependents) return false;
    for (const need of needs) {
      if (this.#added.has(need) || this.names(need)) {
        this.#added.add(urn);
        return true;
      }
    }
    return false;
  }

  /** True when the URN itself matches a `--target`. */
  names(urn: string): boolean {
    return this.#patterns.some(pattern => pattern.test(urn));
  }

  mustReplace(urn: string): boolean {
    return this.#replace.some(pattern => pattern.test(urn));
  }
}

function toPattern(text: string): RegExp {
  const source = text
    .split(/(\*\*|\*)/)
    .map(part => (part === '**' ? '.*' : part === '*' ? '[^:]*' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')))
    .join('');
  return new RegExp(`^${source}$`);
}
