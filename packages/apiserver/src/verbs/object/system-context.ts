// SPDX-License-Identifier: Apache-2.0
import type {UserInfo} from '../../identity/authenticator.ts';
import type {KindDefinition} from '../../kind/kind.ts';
import {parseQuery} from '../../request/query.ts';
import type {RequestContext, Services} from './request-context.ts';

const SYSTEM: UserInfo = {name: 'system:apiserver', groups: ['system:masters']};
const EMPTY = Buffer.alloc(0);

/** A request that nobody sent: the server's own writes go the same way as everybody's. */
export const systemContext = (
  services: Services,
  kind: KindDefinition,
  namespace: string,
  user: UserInfo = SYSTEM,
): RequestContext => ({
  services,
  kind,
  registry: services.registryOf(kind),
  info: {
    path: '',
    isResource: true,
    verb: '',
    group: kind.group,
    version: kind.version,
    namespace,
    hasNamespace: namespace !== '',
    resource: kind.resource,
    subresource: '',
    name: '',
    selectedName: '',
    parts: [],
    watchPrefix: false,
  },
  query: parseQuery(''),
  output: {encoding: 'json', transform: undefined, pretty: false},
  user,
  userAgent: 'palisade',
  body: {contentType: '', read: async () => EMPTY},
  warn: () => {},
  onReleased: () => {}, // the server keeps the rules of a deletion by itself
});
