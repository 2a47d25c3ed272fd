// SPDX-License-Identifier: Apache-2.0
/**
 * The name in a path becomes part of a storage key: what cannot be one is refused before anything is looked up.
 * Ref: kubernetes v1.36 apiserver/pkg/registry/generic/registry/store.go NamespaceKeyFunc, NoNamespaceKeyFunc.
 */
import {goQuote, pathSegmentNameFaults} from '@palisade/wire/kube';
import {badRequest} from '../status-error.ts';
import type {RequestContext} from './request-context.ts';

/** All namespaces can be listed, but one object is in its own one only. */
export const NAMESPACE_REQUIRED = 'Namespace parameter required.';

/** Throws StatusError 400. */
export const checkNameParameter = ({kind, info}: RequestContext): void => {
  if (kind.namespaced && info.namespace === '') throw badRequest(NAMESPACE_REQUIRED);
  const faults = pathSegmentNameFaults(info.name, false);
  if (faults.length > 0) throw badRequest(`Name parameter invalid: ${goQuote(info.name)}: ${faults.join(';')}`);
};
