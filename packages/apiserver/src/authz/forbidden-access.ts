// SPDX-License-Identifier: Apache-2.0
/** The words of a refusal. Ref: kubernetes v1.36 apiserver/pkg/endpoints/handlers/responsewriters/errors.go. */
import {failureStatus, goQuote} from '@palisade/kube-wire';
import {forbidden, StatusError} from '../base/status-error.ts';
import type {Attributes, Authorizer, Decision} from './authorizer.ts';

/** No refusal can be read as HTML. */
export const sanitizeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export const forbiddenAccess = (attributes: Attributes, reason?: string): StatusError => {
  const {user, verb, group, resource, subresource, namespace, name, path} = attributes;
  const because = reason === undefined || reason === '' ? '' : `: ${reason}`;
  if (!attributes.resourceRequest) {
    const text = `forbidden: ${sanitizeHtml(`User ${goQuote(user.name)} cannot ${verb} path ${goQuote(path)}`)}${because}`;
    return new StatusError(failureStatus(403, 'Forbidden', text, {}));
  }
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${goQuote(namespace)}`;
  const text = `User ${goQuote(user.name)} cannot ${verb} resource ${goQuote(what)} in API group ${goQuote(group)} ${where}`;
  return forbidden({group, resource}, name, `${sanitizeHtml(text)}${because}`);
};

/** Why the authorizer does not allow it; undefined when it does. Waits only for an authorizer that has to. */
export const accessFault = async (
  authorizer: Authorizer,
  attributes: Attributes,
  onDecision?: (decision: Decision) => void,
): Promise<StatusError | undefined> => {
  const answer = authorizer.authorize(attributes);
  const decision = answer instanceof Promise ? await answer : answer;
  onDecision?.(decision);
  const {allowed, reason} = decision;
  return allowed ? undefined : forbiddenAccess(attributes, reason);
};
