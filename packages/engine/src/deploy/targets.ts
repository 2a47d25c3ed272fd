// SPDX-License-Identifier: Apache-2.0
/**
 * `--target`, `--target-dependents`, `--replace`. Patterns: `*` within a part between colons, `**` across them. A URN must be one of
 * the stack, and a pattern match one, but for destroy: what is gone counts as cleaned up.
 * Ref: Pulumi pkg/resource/deploy/deployment_executor.go, checkTargets (which lets every pattern pass).
 */
import {EngineError} from '../engine-error.ts';
import {nearest} from '../nearest.ts';
import {isProviderType, parseUrn, ROOT_STACK_TYPE} from '../state/urn.ts';

/** What passes though the stack has none of it: every pattern, and targets that begin so. */
export type Passing = {readonly patterns?: boolean; readonly beginning?: string};

export class Targets {
  readonly #targets: readonly string[];
  readonly #replaced: readonly string[];
  readonly #patterns: readonly RegExp[];
  readonly #replace: readonly RegExp[];
  readonly #withDependents: boolean;
  readonly #added = new Set<string>();

  constructor(options: {targets?: readonly string[]; dependents?: boolean; replace?: readonly string[]} = {}) {
    this.#targets = options.targets ?? [];
    this.#replaced = options.replace ?? [];
    this.#replace = this.#replaced.map(toPattern);
    this.#patterns = this.#targets.map(toPattern);
    this.#withDependents = options.dependents === true;
  }

  get isConstrained(): boolean {
    return this.#patterns.length > 0;
  }

  get isEmpty(): boolean {
    return this.#targets.length === 0 && this.#replaced.length === 0;
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

  /** What was given and is, or matches, none of these URNs. */
  missing(urns: ReadonlySet<string>): readonly string[] {
    return [...new Set(missingFrom([...this.#targets, ...this.#replaced], urns))];
  }

  /** A line for every target that is a pattern and matches none of these URNs. */
  idle(urns: ReadonlySet<string>): readonly string[] {
    return missingFrom(this.#targets.filter(isPattern), urns).map(text => {
      const wider = widerPattern(text, urns);
      return `--target: ${isNoResource(text)}${wider === undefined ? '' : `: ${didYouMean(wider)}`}`;
    });
  }

  /** Throws EngineError naming what is, or matches, none of these URNs and does not pass. */
  assertFound(urns: ReadonlySet<string>, {patterns = false, beginning}: Passing = {}): void {
    const passes = (text: string): boolean => patterns && isPattern(text);
    const mayCome = (text: string): boolean => beginning !== undefined && text.startsWith(beginning);
    refuse(
      missingFrom(this.#replaced, urns).filter(text => !passes(text)),
      urns,
      'replace',
    );
    refuse(
      missingFrom(this.#targets, urns).filter(text => !(passes(text) || mayCome(text))),
      urns,
      'target',
    );
  }

  mustReplace(urn: string): boolean {
    return this.#replace.some(pattern => pattern.test(urn));
  }
}

const isPattern = (text: string): boolean => text.includes('*');

function missingFrom(given: readonly string[], urns: ReadonlySet<string>): readonly string[] {
  return given.filter(text => (isPattern(text) ? !matchesAny(text, urns) : !urns.has(text)));
}

function matchesAny(text: string, urns: ReadonlySet<string>): boolean {
  const pattern = toPattern(text);
  return [...urns].some(urn => pattern.test(urn));
}

/** Throws EngineError unless `missing` is empty. */
function refuse(missing: readonly string[], urns: ReadonlySet<string>, flag: 'target' | 'replace'): void {
  if (missing.length === 0) return;
  const lines = missing.map(text => {
    const near = isPattern(text) ? widerPattern(text, urns) : nearUrn(text, [...urns]);
    const hint = near === undefined ? '`palisade stack export` names the URNs of the stack' : didYouMean(near);
    return `--${flag}: ${isNoResource(text)}: ${hint}`;
  });
  throw new EngineError(lines.join('\n'));
}

const isNoResource = (text: string): string =>
  isPattern(text) ? `no resource of the stack matches '${text}'` : `'${text}' could not be found in the stack`;
const didYouMean = (near: string): string => `did you mean '${near}'?`;

/** A pattern that crosses colons, where that helps. */
function widerPattern(text: string, urns: ReadonlySet<string>): string | undefined {
  const wider = text.replace(/\*+/g, '**');
  return matchesAny(wider, urns) ? wider : undefined;
}

/** The nearest one, else one of the same name. */
const nearUrn = (text: string, urns: readonly string[]): string | undefined =>
  nearest(text, urns) ?? urns.find(urn => urn.endsWith(`::${text.split('::').at(-1)}`));

function toPattern(text: string): RegExp {
  const source = text
    .split(/(\*\*|\*)/)
    .map(part => (part === '**' ? '.*' : part === '*' ? '[^:]*' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')))
    .join('');
  return new RegExp(`^${source}$`);
}
