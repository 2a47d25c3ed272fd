// SPDX-License-Identifier: Apache-2.0
/**
 * The name in a path becomes part of a storage key: what cannot be one is refused before anything is looked up.
 * Ref: kubernetes v1.36 apiserver/pkg/registry/generic/registry/store.go NamespaceKeyFunc, NoNamespaceKeyFunc.
 */
import {goQuote, pathSegmentNameFaults} from '@palisade/kube-wire';
import {badRequest, plainInternal} from '../base/status-error.ts';
import type {RequestContext} from './object/request-context.ts';

/** All namespaces can be listed, but one object is in its own one only. */
export const NAMESPACE_REQUIRED = 'Namespace parameter required.';

/** Throws StatusError 400. */
export const checkNameParameter = ({kind, info}: RequestContext): void => {
  if (kind.namespaced && info.namespace === '') throw badRequest(NAMESPACE_REQUIRED);
  const fault = nameParameterFault(info.name);
  if (fault !== undefined) throw badRequest(fault);
  checkNamespaceKey({kind, info}, info.name);
};

const leadsElsewhere = (segment: string): boolean => segment === '.' || segment === '..';

/**
 * A namespace that would lead elsewhere in the store. `name` is that of the one object that is meant, '' for all.
 * Throws StatusError 500. Ref: kubernetes v1.36 apiserver/pkg/storage/util.go PrepareKey.
 */
export const checkNamespaceKey = ({kind, info}: Pick<RequestContext, 'kind' | 'info'>, name = ''): void => {
  if (!kind.namespaced || !leadsElsewhere(info.namespace)) return;
  const segments = [kind.registryPath, info.namespace, ...(name === '' || leadsElsewhere(name) ? [] : [name])];
  throw plainInternal(`invalid key: ${goQuote(`/${segments.join('/')}`)}`);
};

/** Why a name cannot be that of an object in a path; undefined when it can. */
export const nameParameterFault = (name: string): string | undefined => {
  if (name === '') return 'Name parameter required.';
  const faults = pathSegmentNameFaults(name, false);
  return faults.length === 0 ? undefined : `Name parameter invalid: ${goQuote(name)}: ${faults.join(';')}`;
};
