// SPDX-License-Identifier: Apache-2.0
import type {UserInfo} from '../identity/authenticator.ts';
import type {RequestInfo} from '../request/request-info.ts';
import type {Attributes} from './authorizer.ts';

/** What a request asks for, as authorizers see it. */
export const attributesOf = (user: UserInfo, info: RequestInfo): Attributes => ({
  user,
  verb: info.verb,
  resourceRequest: info.isResource,
  group: info.group,
  version: info.version,
  resource: info.resource,
  subresource: info.subresource,
  namespace: info.namespace,
  name: info.name === '' ? info.selectedName : info.name,
  path: info.path,
});
