// SPDX-License-Identifier: Apache-2.0
/**
 * E-195: a user that makes an owner wait for a dependent needs permission to delete that owner. The owner itself is not looked up, so
 * the answer does not disclose whether it exists. On update only what is newly set counts.
 * Ref: kubernetes v1.36 apiserver/plugin/pkg/admission/gc/gc_admission.go asks for the owner's finalizers instead, with 403.
 */
import {childPath, type FieldError, forbidden, indexPath, type Json} from '@palisade/kube-wire';
import type {KubeObject, OwnerReference} from '../../base/object.ts';
import {MASTERS_GROUP} from '../../identity/authenticator.ts';
import {kindOfOwner} from './classify-owners.ts';
import {withCoreVersions} from './core-group.ts';
import type {RequestContext} from './request-context.ts';

const blocks = ({blockOwnerDeletion}: OwnerReference): boolean => blockOwnerDeletion === true;

/** One that is named otherwise is another right to ask for. */
const isSameOwner = (a: OwnerReference, b: OwnerReference): boolean =>
  a.uid === b.uid && a.name === b.name && a.kind === b.kind && a.apiVersion === b.apiVersion;

/** Of a whole write; the fast way out is an object without owners. */
export const ownerPermissionFaults = (
  context: RequestContext,
  {metadata}: KubeObject,
  current: KubeObject | undefined,
): FieldError[] => {
  const owners = metadata.ownerReferences;
  if (owners === undefined || !context.services.compat.checkBlockOwnerDeletion) return [];
  const before = ownersBefore(context, current);
  return owners.flatMap((owner, index) => {
    if (!blocks(owner) || before.some(each => blocks(each) && isSameOwner(each, owner))) return [];
    if (mayDelete(context, owner, metadata.namespace ?? '')) return [];
    const path = childPath(indexPath('metadata.ownerReferences', index), 'blockOwnerDeletion');
    return [forbidden(path, "requires permission to delete the owner (verb 'delete')")];
  });
};

/** As the other mode may have stored them, `core/v1` is to mean the same as in what is written. */
const ownersBefore = (context: RequestContext, current: KubeObject | undefined): readonly OwnerReference[] =>
  (withCoreVersions(context, current?.metadata.ownerReferences as Json | undefined) ?? []) as OwnerReference[];

/** A kind that is not served here has no resource to ask for: then the right to all of its group is needed. */
const mayDelete = ({user, services}: RequestContext, owner: OwnerReference, namespace: string): boolean => {
  if (user.groups.includes(MASTERS_GROUP)) return true;
  const kind = kindOfOwner(services.kinds, owner, services.compat);
  const [group, version] = owner.apiVersion.includes('/') ? owner.apiVersion.split('/', 2) : ['', owner.apiVersion];
  return (
    services.authorizer.resolver?.allows({
      user,
      verb: 'delete',
      resourceRequest: true,
      group: kind?.group ?? group ?? '',
      version: version ?? '',
      resource: kind?.resource ?? '*',
      subresource: '',
      namespace: kind?.namespaced === false ? '' : namespace,
      name: owner.name,
      path: '',
    }) === true
  );
};
