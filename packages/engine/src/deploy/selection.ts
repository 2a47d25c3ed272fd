// SPDX-License-Identifier: Apache-2.0
/**
 * Which resources take part in one run. Dependents are found as they come: whatever is asked about comes after what it depends on.
 * Ref: Pulumi pkg/resource/deploy/step_generator.go, isIncludedInOperation, determineAllowedResourcesToDeleteFromTargets,
 * determineForbiddenResourcesToDeleteFromExcludes.
 */
import {dependenciesOf, dependencyUrns, type ResourceState} from '../state/resource-state.ts';
import {isProviderType, parseUrn, ROOT_STACK_TYPE} from '../state/urn.ts';
import type {Targets} from './targets.ts';

export class Selection {
  readonly #targets: Targets;
  /** Dependents that are targeted along, or excluded along. */
  readonly #along = new Set<string>();

  constructor(targets: Targets) {
    this.#targets = targets;
  }

  /** Of an update: providers and the stack always take part. `needs`: URNs that the resource depends on. */
  includes(urn: string, needs: Iterable<string>): boolean {
    const {kind} = this.#targets;
    if (kind === 'all') return true;
    const {type} = parseUrn(urn);
    const always = isProviderType(type) || type === ROOT_STACK_TYPE;
    if (always && kind === 'excludes') return true;
    return this.covers(urn, needs) || always;
  }

  /** Of a refresh. */
  covers(urn: string, needs: Iterable<string>): boolean {
    const {kind} = this.#targets;
    return kind === 'all' || this.#isNamed(urn, needs) === (kind === 'targets');
  }

  #isNamed(urn: string, needs: Iterable<string>): boolean {
    if (this.#targets.names(urn) || this.#along.has(urn)) return true;
    if (!this.#targets.withDependents) return false;
    for (const need of needs) {
      if (!this.#targets.names(need) && !this.#along.has(need)) continue;
      this.#along.add(urn);
      return true;
    }
    return false;
  }

  /**
   * URNs that may be deleted: the targets and whatever depends on them, or all but what is excluded and what that depends on. With
   * `--exclude-dependents` what depends on one of those stays too, as with the CLI: nearly all, as it has the stack in common.
   */
  deletable(prior: readonly ResourceState[]): (urn: string) => boolean {
    const {kind} = this.#targets;
    if (kind === 'all') return () => true;
    const named = new Set(prior.filter(({urn}) => this.#targets.names(urn)).map(({urn}) => urn));
    if (kind === 'targets') {
      const allowed = withDependents(prior, named);
      return urn => allowed.has(urn);
    }
    const kept = this.#targets.withDependents ? connected(prior, named) : dependenciesOf(prior, named);
    return urn => !kept.has(urn);
  }
}

function withDependents(prior: readonly ResourceState[], urns: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set(urns);
  for (const state of prior) if ([...dependencyUrns(state)].some(urn => found.has(urn))) found.add(state.urn);
  return found;
}

/** Everything that is a dependency or a dependent of something that is found. */
function connected(prior: readonly ResourceState[], urns: ReadonlySet<string>): ReadonlySet<string> {
  const found = withDependents(prior, dependenciesOf(prior, urns));
  return found.size === urns.size ? found : connected(prior, found);
}
