// SPDX-License-Identifier: Apache-2.0
/** New content needs a namespace that is there and stays. Ref: kubernetes v1.36 plugin/namespace/lifecycle/admission.go. */
import {goQuote, pathSegmentNameFaults} from '@palisade/kube-wire';
import type {KubeObject} from '../../base/object.ts';
import {badRequest, forbidden, internalError, notFound} from '../../base/status-error.ts';
import type {CachedObject} from '../../cache/cached-object.ts';
import type {Registry} from '../../registry/registry.ts';
import type {RequestContext} from './request-context.ts';

export type Admitted = {readonly registry: Registry; readonly namespace: CachedObject};

/** The namespace that takes the object; undefined for kinds without one. Throws StatusError 404, 403, or 500 for what can be no name in a path. */
export const admitIntoNamespace = ({kind, info, services}: RequestContext, name: string): Admitted | undefined => {
  if (!kind.namespaced || info.namespace === '' || services.namespaces === undefined) return undefined;
  const registry = services.registryOf(services.namespaces);
  const namespace = registry.get('', info.namespace);
  if (namespace === undefined) {
    const faults = pathSegmentNameFaults(info.namespace);
    if (faults.length === 0) throw notFound(services.namespaces, info.namespace);
    throw internalError(`invalid resource name ${goQuote(info.namespace)}: [${faults.join(' ')}]`);
  }
  if (!namespace.isDeleting) return {registry, namespace};
  throw forbidden(
    kind,
    name,
    `unable to create new content in namespace ${info.namespace} because it is being terminated`,
    [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${info.namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  );
};

/** The namespace of the path is the object's; one that says otherwise is refused, or dropped where kind or path have none. */
export const settleNamespace = ({kind, info}: RequestContext, draft: KubeObject): void => {
  const sent = draft.metadata.namespace ?? '';
  if (!kind.namespaced) {
    delete draft.metadata.namespace;
    return;
  }
  if (sent !== '' && info.namespace !== '' && sent !== info.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  draft.metadata.namespace = info.namespace;
};

/** The name of the path is the object's. Throws StatusError 400. */
export const checkName = ({info}: RequestContext, draft: KubeObject): void => {
  const sent = draft.metadata.name ?? '';
  if (sent === '')
    throw badRequest(`the name of the object (${info.name} based on URL) was undeterminable: name must be provided`);
  if (sent !== info.name)
    throw badRequest(`the name of the object (${sent}) does not match the name on the URL (${info.name})`);
};
