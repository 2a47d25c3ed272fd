// SPDX-License-Identifier: Apache-2.0
/** Which of the two APIs a request belongs to, by its path; each works with the other switched off. Ref: requirements X-001. */
import type {ServerResponse} from 'node:http';
import {cutOff, type WholeRequest, type WholeResponse} from '@palisade/apiserver';
import {answerText} from './answer-text.ts';
import {whyForeign} from './foreign-pages.ts';
import type {AnyRequest, AnyResponse, Handler} from './listeners.ts';
import type {Logger} from './logger.ts';

export type Side = (request: AnyRequest, response: AnyResponse) => void | Promise<void>;
export type Sides = {
  readonly kubernetes: Side | undefined;
  readonly ids: Side | undefined;
  /** gRPC, gRPC-Web and Connect; answers every POST whose path is a known method. */
  readonly grpc: Side | undefined;
  /** `/metrics` where the Kubernetes side, which otherwise answers it, is not served. */
  readonly metrics: Side | undefined;
  /** Health where the Kubernetes side, which otherwise answers it, is not served. */
  readonly health: Side | undefined;
};

type Response = AnyResponse | WholeResponse;
/** Whose form an error has. */
type Api = 'kubernetes' | 'ids';

/** What the IDS side answers over REST. */
export const isIdsPath = (url: string): boolean => /^\/(v1|compute\/v1)(\/|$|\?)/.test(url);
const METRICS_PATH = /^\/metrics(\?|$)/;
const HEALTH_PATH = /^\/(healthz|livez|readyz)(\/|$|\?)/;
const contentType = (request: AnyRequest): string => String(request.headers['content-type'] ?? '');
const isGrpc = (request: AnyRequest): boolean => contentType(request).startsWith('application/grpc');
const isGrpcPath = (path: string): boolean => /^\/(google|grpc)\.[A-Za-z0-9_.]+\/[A-Za-z0-9_]+$/.test(path);

const answerJson = (response: Response, code: number, body: object): void => {
  answerText(response, code, {'content-type': 'application/json; charset=UTF-8'}, JSON.stringify(body));
};

type Fault = {readonly code: number; readonly reason: string; readonly status: string; readonly message: string};

/** In the form that clients of that API read. */
const refuse = (api: Api, response: Response, {code, reason, status, message}: Fault): void => {
  if (api === 'ids') answerJson(response, code, {error: {code, message, status}});
  else
    answerJson(response, code, {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      details: {},
      code,
    });
};

const switchedOff = (api: Api): Fault => ({
  code: 404,
  reason: 'NotFound',
  status: 'NOT_FOUND',
  message: `the ${api} API is not enabled on this server: start it with --apis all or --apis ${api}`,
});

const FAILED: Fault = {
  code: 500,
  reason: 'InternalError',
  status: 'INTERNAL',
  message: 'internal error; see the server log',
};

/** With `--auth none`: refuses requests that may come from a web page of another site. */
export const withoutForeignPages =
  <Q extends AnyRequest | WholeRequest, S extends Response>(
    handler: (request: Q, response: S) => unknown,
  ): ((request: Q, response: S) => unknown) =>
  (request, response) => {
    const message = whyForeign(request);
    if (message === undefined) return handler(request, response);
    const api = isIdsPath(originForm(request.url ?? '/')) ? 'ids' : 'kubernetes';
    return refuse(api, response, {code: 403, reason: 'Forbidden', status: 'PERMISSION_DENIED', message});
  };

/** A side that throws or rejects: logged, and the client gets an end, 500 where nothing was sent yet. */
const guarded = <Q extends AnyRequest | WholeRequest, S extends Response>(
  api: Api,
  side: (request: Q, response: S) => void | Promise<void>,
  log: Pick<Logger, 'error'>,
): ((request: Q, response: S) => Promise<void>) => {
  return async (request, response) => {
    try {
      await side(request, response);
    } catch (error) {
      const path = (request.url ?? '/').split('?', 1)[0];
      log.error({err: error, method: request.method, path}, 'request failed');
      if (response.headersSent) cutOff(response);
      else refuse(api, response, FAILED);
    }
  };
};

/** A gRPC method that no service has: status 12 in the trailers, where every client looks for it. */
export const unknownGrpcMethod = (request: AnyRequest, response: AnyResponse): void => {
  const plain = response as ServerResponse;
  if (!isGrpc(request)) {
    answerJson(response, 404, {code: 'unimplemented', message: `unknown method ${request.url}`});
    return;
  }
  plain.writeHead(200, {'content-type': 'application/grpc'});
  plain.addTrailers({
    'grpc-status': '12',
    'grpc-message': encodeURIComponent(`unknown method ${request.url}`),
  });
  plain.end();
};

/** Requests of HTTP/1.1 that are there as a whole, for a server with a Kubernetes side: `route` would choose it for them too. */
export const routeWhole = (
  kubernetes: (request: WholeRequest, response: WholeResponse) => Promise<void>,
  log: Pick<Logger, 'error'>,
) => ({
  takes: ({url, headers}: Pick<WholeRequest, 'url' | 'headers'>): boolean =>
    !isIdsPath(url) && !isGrpcPath(url) && !(headers['content-type'] ?? '').startsWith('application/grpc'),
  handler: guarded('kubernetes', kubernetes, log),
});

/** A client may send the whole URL, as it does to a proxy; who it is for is known anyway. Ref: RFC 9112 section 3.2.2. */
const originForm = (target: string): string => {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return path.startsWith('/') || path === target ? path : `/${path}`;
};

export const route = (sides: Sides, log: Pick<Logger, 'error'>): Handler => {
  const handlerOf = (api: Api, side: Side | undefined): Handler =>
    side === undefined ? (_request, response) => refuse(api, response, switchedOff(api)) : guarded(api, side, log);
  const [kubernetes, ids] = [handlerOf('kubernetes', sides.kubernetes), handlerOf('ids', sides.ids)];
  const grpc = sides.grpc && guarded('ids', sides.grpc, log);
  const metrics = sides.metrics && guarded('kubernetes', sides.metrics, log);
  const health = sides.health && guarded('kubernetes', sides.health, log);
  return (request, response) => {
    const path = originForm(request.url ?? '/');
    if (path !== request.url) request.url = path;
    if (grpc !== undefined && (isGrpc(request) || isGrpcPath(path))) return grpc(request, response);
    if (metrics !== undefined && METRICS_PATH.test(path)) return metrics(request, response);
    if (isIdsPath(path)) return ids(request, response);
    if (health !== undefined && HEALTH_PATH.test(path)) return health(request, response);
    return kubernetes(request, response);
  };
};
