// SPDX-License-Identifier: Apache-2.0
/** REST: request → route → caller → handler → answer or error. Every failure is logged once, and answered if the client waits for it. */
import {clientOf, type Fairness, isGone} from '@palisade/apiserver';
import {type Audits, auditedFailure, trailFor} from '../audit.ts';
import {type Auth, type Caller, identify, pathAttributes, usersOf} from '../auth.ts';
import {RpcError} from '../rpc-error.ts';
import {seated} from '../seated.ts';
import type {Service} from '../state/service.ts';
import {messageOf} from '../system.ts';
import {isUnreported, toRpcError} from '../to-rpc-status.ts';
import {sendError} from './answer.ts';
import {type AnyRequest, type AnyResponse, openAccount, openTrail, senderOf} from './exchange.ts';
import {parseQuery} from './query.ts';
import {decodePath, matchRoute, type Route} from './routes.ts';

export type HandlerDeps = Auth &
  Audits & {
    readonly service: Service;
    readonly fairness: Fairness;
    /** Below `/v1/`. */
    readonly routes: readonly Route[];
    /** Below `/compute/v1/`. */
    readonly ruleRoutes: readonly Route[];
  };

/** False: the path is not ours, and nothing was done. */
export const createHandler =
  (deps: HandlerDeps) =>
  async (request: AnyRequest, response: AnyResponse): Promise<boolean> => {
    const url = request.url ?? '/';
    const mark = url.indexOf('?');
    const path = mark === -1 ? url : url.slice(0, mark);
    const base = ['/v1/', '/compute/v1/'].find(prefix => `${path}/`.startsWith(prefix));
    if (base === undefined) return false;
    let caller: Caller | undefined;
    const trail = trailFor(deps, request, response);
    if (trail !== undefined) openTrail({request, response}, trail);
    try {
      caller = await identify(deps, senderOf(request), path);
      openAccount({request, response}, deps.service.unread.accountOf(response, path, caller.requestor.name));
      await serve(deps, caller, {request, response}, {base, path, search: mark === -1 ? '' : url.slice(mark + 1)});
    } catch (error) {
      const failure = toRpcError(error);
      trail?.failed(auditedFailure(failure), failure.code === 'INTERNAL');
      answerFailure(deps.service, {request, response, caller}, failure);
    }
    trail?.completed(() => pathAttributes(request.method ?? 'GET', path));
    return true;
  };

type Exchange = {readonly request: AnyRequest; readonly response: AnyResponse};

const serve = async (
  deps: HandlerDeps,
  caller: Caller,
  {request, response}: Exchange,
  at: {readonly base: string; readonly path: string; readonly search: string},
): Promise<void> => {
  const {service} = deps;
  const override = request.method === 'POST' ? request.headers['x-http-method-override'] : undefined;
  const method = typeof override === 'string' ? override.toUpperCase() : (request.method ?? 'GET');
  const decoded = decodePath(at.path.slice(at.base.length));
  const routes = at.base === '/v1/' ? deps.routes : deps.ruleRoutes;
  const match = decoded === undefined ? undefined : matchRoute(routes, method, decoded);
  if (match === undefined) {
    request.resume();
    throw new RpcError('NOT_FOUND', `The requested URL ${at.path} was not found on this server for ${method}.`);
  }
  const query = parseQuery(at.search, match.route.parameters);
  const call = {service, caller, request, response, query, name: match.name};
  const from = request.socket.remoteAddress;
  const who = {caller, path: at.path, from, mutates: method !== 'GET', client: clientOf(response)};
  await seated(deps.fairness, match.route.work?.(call) ?? 'short', who, () => match.route.handle(call));
};

const answerFailure = (
  service: Service,
  {request, response, caller}: Exchange & {readonly caller: Caller | undefined},
  error: RpcError,
): void => {
  const fields = {method: request.method, code: error.code, ...usersOf(caller), err: messageOf(error.cause ?? error)};
  if (isUnreported(error)) service.log.error(fields, 'ids: request failed');
  else service.log.debug(fields, 'ids: request refused');
  if (!isGone(response)) sendError(response, error);
};
