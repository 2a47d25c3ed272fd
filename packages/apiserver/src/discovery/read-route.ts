// SPDX-License-Identifier: Apache-2.0
/** What upstream's router asks of a read of a document before the document is made. Ref: go-restful jsr311.go. */

import {methodNotAllowed, routeNotAcceptable, routeUnsupportedMediaType} from '../base/status-error.ts';
import {headerOf} from '../http/exchange.ts';
import type {NonResourceExchange} from '../http/non-resource.ts';
import {routeAccepts, routeConsumes} from '../request/accept.ts';

/** `types` are those of the answer, and of a body, though none is read. Throws StatusError 405, 415, 406. */
export const checkReadRoute = (
  {method, request}: Pick<NonResourceExchange, 'method' | 'request'>,
  types: readonly string[],
): void => {
  if (method !== 'GET') throw methodNotAllowed();
  const sentType = headerOf(request, 'content-type') ?? '';
  if (sentType !== '' && !routeConsumes(sentType, types)) throw routeUnsupportedMediaType();
  if (!routeAccepts(headerOf(request, 'accept'), types)) throw routeNotAcceptable(types);
};
