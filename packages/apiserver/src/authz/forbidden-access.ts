// SPDX-License-Identifier: Apache-2.0
/** The words of a refusal. Ref: kubernetes v1.36 apiserver/pkg/endpoints/handlers/responsewriters/errors.go. */
import {goQuote} from '@palisade/wire/kube';
import {forbidden, forbiddenPath, type StatusError} from '../status-error.ts';
import type {Attributes} from './authorizer.ts';

export const forbiddenAccess = (attributes: Attributes, reason?: string): StatusError => {
  const {user, verb, group, resource, subresource, namespace, name, path} = attributes;
  if (!attributes.resourceRequest) return forbiddenPath(user.name, verb, path);
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${goQuote(namespace)}`;
  const because = reason === undefined || reason === '' ? '' : `: ${reason}`;
  return forbidden(
    {group, resource},
    name,
    `User ${goQuote(user.name)} cannot ${verb} resource ${goQuote(what)} in API group ${goQuote(group)} ${where}${because}`,
  );
};
