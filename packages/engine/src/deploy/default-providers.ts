// SPDX-License-Identifier: Apache-2.0
/**
 * Default providers: one per package and version that the program asks for without naming a provider, configured from the stack's
 * `<package>:*` values. They are resources like others. Ref: Pulumi source_eval.go defaultProviders.
 */
import {type PropertyMap, UNKNOWN_SENTINEL} from '@palisade/provider';
import {EngineError} from '../engine-error.ts';
import type {ResourceState} from '../state/resource-state.ts';
import {formatReference, providerType} from '../state/urn.ts';
import {emptyGoal, type Goal} from './goal.ts';
import {INTERNAL_KEY} from './providers/provider-registry.ts';

/** Configuration values of one package, secrets as such. */
export type PackageConfig = (packageName: string) => PropertyMap;

/** Which plugin a provider asks for. */
type Wanted = {readonly version: string; readonly pluginDownloadUrl: string};

export class DefaultProviders {
  readonly #config: PackageConfig;
  readonly #disabled: readonly string[];
  readonly #register: (goal: Goal) => Promise<ResourceState>;
  readonly #references = new Map<string, Promise<string>>();

  /** `disabled`: packages that have no default provider; `*`: all but `pulumi`. */
  constructor(
    from: {readonly config: PackageConfig; readonly disabled: readonly string[]},
    register: (goal: Goal) => Promise<ResourceState>,
  ) {
    this.#config = from.config;
    this.#disabled = from.disabled;
    this.#register = register;
  }

  /** The reference of the provider; it is registered at the first call. Throws EngineError when it is disabled. */
  async reference(packageName: string, wanted: Wanted): Promise<string> {
    if (packageName !== 'pulumi' && this.#disabled.some(name => name === '*' || name === packageName))
      throw new EngineError(
        `Default provider for '${packageName}' disabled by pulumi:disable-default-providers: give an explicit provider`,
      );
    const key = `${packageName}@${wanted.version}@${wanted.pluginDownloadUrl}`;
    let reference = this.#references.get(key);
    if (reference === undefined) {
      reference = this.#make(packageName, wanted);
      this.#references.set(key, reference);
    }
    return reference;
  }

  async #make(packageName: string, wanted: Wanted): Promise<string> {
    const {version} = wanted;
    const inputs = pluginInputs(this.#config(packageName), wanted);
    const goal = emptyGoal(providerType(packageName), defaultProviderName(version));
    const state = await this.#register({...goal, custom: true, inputs});
    return formatReference({urn: state.urn, id: state.id === '' ? UNKNOWN_SENTINEL : state.id});
  }
}

export const defaultProviderName = (version: string): string =>
  version === '' ? 'default' : `default_${version.replace(/[^A-Za-z0-9]/g, '_')}`;

/** The inputs of a provider as they are kept: with the plugin that it asks for. Ref: Pulumi providers.SetProviderVersion, SetProviderURL. */
export function pluginInputs(inputs: PropertyMap, {version, pluginDownloadUrl}: Wanted): PropertyMap {
  if (version === '' && pluginDownloadUrl === '') return inputs;
  const internal = pluginDownloadUrl === '' ? {} : {pluginDownloadURL: pluginDownloadUrl};
  return {...inputs, [INTERNAL_KEY]: internal, ...(version === '' ? {} : {version})};
}
