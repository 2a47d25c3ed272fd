// SPDX-License-Identifier: Apache-2.0
/** Requests whose bodies no policy can bring into the audit log: secrets, tokens, and what threats carried. */
import type {AuditAttributes} from '@palisade/apiserver';

/** `group/resource[/subresource]` whose bodies hold secrets, or packets and payloads. */
export const SECRET_BODIES: ReadonlySet<string> = new Set([
  '/secrets',
  '/serviceaccounts/token',
  'authentication.k8s.io/tokenreviews',
  'platform.io/accesstokens',
  'platform.io/serviceaccountkeys',
  'ids.googleapis.com/endpoints/evidence',
  'ids.googleapis.com/endpoints/threats',
  'ids.googleapis.com/endpoints/traffic',
]);
/** Where tokens are exchanged. */
const SECRET_PATHS = /^\/token\/?$/;

/** Whether the bodies of the request and its answer are kept out of the log at every level. */
export const hasSecretBodies = ({resourceRequest, group, resource, subresource, path}: AuditAttributes): boolean => {
  if (!resourceRequest) return SECRET_PATHS.test(path);
  const whole = subresource === '' ? resource : `${resource}/${subresource}`;
  return SECRET_BODIES.has(`${group}/${whole}`) || SECRET_BODIES.has(`${group}/${resource}`);
};
