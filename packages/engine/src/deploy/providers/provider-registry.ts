// SPDX-License-Identifier: Apache-2.0
/**
 * Providers by reference (`<urn>::<id>`). A provider resource of this run is made by checking, diffing and configuring it; one that
 * is only in the old state is configured from there when something needs it (delete, refresh, replacement).
 */
import type {CheckResult, DiffResult, PropertyMap, Provider} from '@palisade/provider';
import {EngineError} from '../../engine-error.ts';
import type {ResourceState} from '../../state/resource-state.ts';
import {formatReference, parseReference, parseUrn, providerPackage} from '../../state/urn.ts';

/** Makes a provider that is not configured yet. */
export type ProviderFactory = () => Provider;
export type ProviderFactories = Readonly<Record<string, ProviderFactory>>;

/** The engine's own member of a provider's inputs: never shown to the provider. */
export const INTERNAL_KEY = '__internal';

const NO_CHANGE: DiffResult = {
  changes: 'none',
  diffs: [],
  detailedDiff: {},
  replaces: [],
  deleteBeforeReplace: false,
  stables: [],
};

export class ProviderRegistry {
  readonly #factories: ProviderFactories;
  /** Provider states of the run before, by reference. */
  readonly #states = new Map<string, ResourceState>();
  /** By reference; in a preview also by bare URN, as the id is not known yet. */
  readonly #configured = new Map<string, Promise<Provider>>();
  readonly #made: Provider[] = [];

  constructor(factories: ProviderFactories) {
    this.#factories = factories;
  }

  get packages(): readonly string[] {
    return Object.keys(this.#factories).sort();
  }

  remember(reference: string, state: ResourceState): void {
    this.#states.set(reference, state);
  }

  /** Throws EngineError for a package that is not built in. */
  make(packageName: string): Provider {
    const factory = this.#factories[packageName];
    if (factory === undefined)
      throw new EngineError(
        `package "${packageName}" is not built into the embedded engine (built in: ${this.packages.join(', ')}); ` +
          'use the Pulumi CLI for programs with other packages',
      );
    const provider = factory();
    this.#made.push(provider);
    return provider;
  }

  check(state: ResourceState, olds: PropertyMap): Promise<CheckResult> {
    return this.#make(state).checkConfig({urn: state.urn, olds: visible(olds), news: visible(state.inputs)});
  }

  /** What a new configuration of the same provider means for what it manages. */
  async diff(old: ResourceState, next: ResourceState, ignoreChanges: readonly string[]): Promise<DiffResult> {
    if (providerPackage(old.type) !== providerPackage(next.type))
      return {...NO_CHANGE, changes: 'some', replaces: ['provider']};
    return this.#make(next).diffConfig({
      urn: next.urn,
      oldInputs: visible(old.inputs),
      news: visible(next.inputs),
      ignoreChanges,
    });
  }

  /** Configures the provider of this run, and resolves to it; `state.id` is '' in a preview of a new one. */
  async configure(state: ResourceState, inputs: PropertyMap = state.inputs): Promise<Provider> {
    const provider = this.#make(state);
    const ready = provider.configure({inputs: visible(inputs)}).then(() => provider);
    ready.catch(() => undefined); // the caller that uses it gets the error
    this.#configured.set(formatReference(state), ready);
    this.#configured.set(state.urn, ready);
    return ready;
  }

  #make(state: ResourceState): Provider {
    return this.make(providerPackage(parseUrn(state.urn).type));
  }

  /** The provider behind a reference. Throws EngineError when it is nowhere. */
  get(reference: string): Promise<Provider> {
    const found = this.#configured.get(reference) ?? this.#configuredNow(reference);
    if (found !== undefined) return found;
    const state = this.#states.get(reference);
    if (state === undefined) throw new EngineError(`unknown provider '${reference}'`);
    const provider = this.#make(state);
    const ready = provider.configure({inputs: visible(state.inputs)}).then(() => provider);
    this.#configured.set(reference, ready);
    return ready;
  }

  /** References of a preview name a provider without an id. */
  #configuredNow(reference: string): Promise<Provider> | undefined {
    return this.#states.has(reference) ? undefined : this.#configured.get(parseReference(reference).urn);
  }

  /** Asks every provider to stop waiting. */
  cancel(): void {
    for (const provider of this.#made) provider.cancel();
  }
}

function visible(inputs: PropertyMap): PropertyMap {
  const {[INTERNAL_KEY]: _, ...others} = inputs;
  return others;
}
