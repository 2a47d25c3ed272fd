// SPDX-License-Identifier: Apache-2.0
/** What an operation is about to touch, known before any provider is asked. */
import type {PropertyMap} from '@palisade/provider';
import type {ResourceState} from '../state/resource-state.ts';
import {isDefaultProvider, isProviderType, parseReference, parseUrn, providerPackage} from '../state/urn.ts';

export type Kind = 'update' | 'refresh' | 'destroy' | 'import';

/** An object that the state says is there. */
export type ManagedObject = {
  readonly type: string;
  readonly id: string;
  /** What the provider answered last, secrets wrapped. */
  readonly outputs: PropertyMap;
  readonly packageName: string;
  /** Names of the values that its provider is configured with in this operation, such as `server`. */
  readonly providerConfig: ReadonlySet<string>;
};

export type OperationPlan = {
  readonly kind: Kind;
  /** Name of the stack. */
  readonly stack: string;
  /** Full keys of the configuration values of stack and project, such as `platform:server`. */
  readonly config: ReadonlySet<string>;
  /** Objects that the stack owns; those that it only reads are left out. */
  readonly objects: readonly ManagedObject[];
};

type From = {
  readonly kind: Kind;
  readonly stack: string;
  readonly config: ReadonlySet<string>;
  readonly resources: readonly ResourceState[];
};

/** An update configures default providers again; everything else is done by providers as the state has them. */
export function planOperation({kind, stack, config, resources}: From): OperationPlan {
  const inputsOf = new Map<string, PropertyMap>(
    resources.filter(({type}) => isProviderType(type)).map(({urn, inputs}) => [urn, inputs]),
  );
  const namesOf = (packageName: string, providerUrn: string): string[] =>
    kind === 'update' && isDefaultProvider(providerUrn)
      ? [...config].filter(key => key.startsWith(`${packageName}:`)).map(key => key.slice(packageName.length + 1))
      : Object.keys(inputsOf.get(providerUrn) ?? {});
  const objects = resources
    .filter(({custom, external, provider, type}) => custom && !external && provider !== '' && !isProviderType(type))
    .map(({provider, type, id, outputs}) => {
      const {urn} = parseReference(provider);
      const packageName = providerPackage(parseUrn(urn).type);
      return {type, id, outputs, packageName, providerConfig: new Set(namesOf(packageName, urn))};
    });
  return {kind, stack, config, objects};
}
