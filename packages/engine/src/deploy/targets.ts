// SPDX-License-Identifier: Apache-2.0
/**
 * `--target`, `--exclude`, `--replace` as they were given. Patterns: `*` within a part between colons, `**` across them. A URN must be
 * one of the stack, and a pattern of `--target` and `--replace` match one, but for destroy: what is gone counts as cleaned up.
 * Ref: Pulumi pkg/resource/deploy/deployment_executor.go, checkTargets (which lets every pattern pass).
 */
import {EngineError} from '../engine-error.ts';
import {nearest} from '../nearest.ts';

/** What passes though the stack has none of it: every pattern, targets that begin so, exclusions. Patterns of `--exclude` always pass. */
export type Passing = {readonly patterns?: boolean; readonly beginning?: string; readonly excludes?: boolean};

export type TargetOptions = {
  readonly targets?: readonly string[];
  /** `--target-dependents`. */
  readonly dependents?: boolean;
  readonly excludes?: readonly string[];
  /** `--exclude-dependents`. */
  readonly excludeDependents?: boolean;
  readonly replace?: readonly string[];
};

export class Targets {
  readonly #targets: readonly string[];
  readonly #excluded: readonly string[];
  readonly #replaced: readonly string[];
  readonly #target: readonly RegExp[];
  readonly #exclude: readonly RegExp[];
  readonly #replace: readonly RegExp[];
  readonly #dependents: boolean;
  readonly #excludeDependents: boolean;

  constructor(options: TargetOptions = {}) {
    this.#targets = options.targets ?? [];
    this.#excluded = options.excludes ?? [];
    this.#replaced = options.replace ?? [];
    this.#target = this.#targets.map(toPattern);
    this.#exclude = this.#excluded.map(toPattern);
    this.#replace = this.#replaced.map(toPattern);
    this.#dependents = options.dependents === true;
    this.#excludeDependents = options.excludeDependents === true;
  }

  /** What there is to choose by; targets go before exclusions. */
  get kind(): 'all' | 'targets' | 'excludes' {
    return this.#targets.length > 0 ? 'targets' : this.#excluded.length > 0 ? 'excludes' : 'all';
  }

  /** Of what takes no part. */
  get whyLeft(): string {
    return this.kind === 'targets' ? 'not specified in --target list' : 'excluded by --exclude';
  }

  get isEmpty(): boolean {
    return this.#targets.length === 0 && this.#excluded.length === 0 && this.#replaced.length === 0;
  }

  /** What depends on a target, or on what is excluded, is so too. */
  get withDependents(): boolean {
    return this.kind === 'targets' ? this.#dependents : this.#excludeDependents;
  }

  /** True when the URN itself matches a `--target`, or without one an `--exclude`. */
  names(urn: string): boolean {
    return (this.kind === 'targets' ? this.#target : this.#exclude).some(pattern => pattern.test(urn));
  }

  /** What was given to be updated or replaced and is, or matches, none of these URNs. */
  missing(urns: ReadonlySet<string>): readonly string[] {
    return [...new Set(missingFrom([...this.#targets, ...this.#replaced], urns))];
  }

  /** A line for every pattern of `--target` that matches none of these URNs. */
  idle(urns: ReadonlySet<string>): readonly string[] {
    return idleLines('target', this.#targets.filter(isPattern), urns);
  }

  /** A line for every exclusion that is, or matches, none of these URNs. */
  idleExcludes(urns: ReadonlySet<string>): readonly string[] {
    return idleLines('exclude', this.#excluded, urns);
  }

  /** Throws EngineError naming what is, or matches, none of these URNs and does not pass. */
  assertFound(urns: ReadonlySet<string>, {patterns = false, beginning, excludes = false}: Passing = {}): void {
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
    if (excludes) return;
    refuse(
      missingFrom(this.#excluded, urns).filter(text => !isPattern(text)),
      urns,
      'exclude',
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
function refuse(missing: readonly string[], urns: ReadonlySet<string>, flag: 'target' | 'exclude' | 'replace'): void {
  if (missing.length === 0) return;
  const lines = missing.map(text => {
    const near = isPattern(text) ? widerPattern(text, urns) : nearUrn(text, [...urns]);
    const hint = near === undefined ? '`palisade stack export` lists the URNs of the stack' : didYouMean(near);
    return `--${flag}: ${isNoResource(text)}: ${hint}`;
  });
  throw new EngineError(lines.join('\n'));
}

const idleLines = (flag: string, given: readonly string[], urns: ReadonlySet<string>): string[] =>
  missingFrom(given, urns).map(text => {
    const near = isPattern(text) ? widerPattern(text, urns) : nearUrn(text, [...urns]);
    return `--${flag}: ${isNoResource(text)}${near === undefined ? '' : `: ${didYouMean(near)}`}`;
  });

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
