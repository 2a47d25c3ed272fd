// SPDX-License-Identifier: Apache-2.0
/** Which of the two APIs a request belongs to, by its path; each works with the other switched off. Ref: requirements X-001. */
import type {ServerResponse} from 'node:http';
import {ClientGoneError, credentialsOf, cutOff} from '@palisade/apiserver';
import type {OnRefused} from '../audit/audit-refusals.ts';
import type {Logger} from '../process/logger.ts';
import {answerText} from './answer-text.ts';
import {type Api, apiOf, ERROR_TYPE, errorBody, type Fault, isIdsPath, originForm} from './api-errors.ts';
import {whyCrossSite, whyForeign} from './foreign-pages.ts';
import type {AnyRequest, AnyResponse, Handler} from './listeners.ts';

export type Side = (request: AnyRequest, response: AnyResponse) => void | Promise<void>;
export type Sides = {
  readonly kubernetes: Side | undefined;
  readonly ids: Side | undefined;
  /** gRPC, gRPC-Web and Connect; answers every POST whose path is a known method. */
  readonly grpc: Side | undefined;
  /** `/token`, which is reached without a credential. */
  readonly token: Side | undefined;
  /** Below `/console`: pages without a credential, and the sign-in. */
  readonly console: Side | undefined;
  /** `/metrics` where the Kubernetes side, which otherwise answers it, is not served. */
  readonly metrics: Side | undefined;
  /** Health where the Kubernetes side, which otherwise answers it, is not served. */
  readonly health: Side | undefined;
};

const METRICS_PATH = /^\/metrics(\?|$)/;
const CONSOLE_PATH = /^\/console(\/|\?|$)/;
const TOKEN_PATH = /^\/token(\?|$)/;
/** Of the Kubernetes side, and answered where that is not served, too. */
const HEALTH_PATH = /^\/(healthz|livez|readyz|audit|backup)(\/|$|\?)/;
const contentType = (request: AnyRequest): string => String(request.headers['content-type'] ?? '');
const isGrpc = (request: AnyRequest): boolean => contentType(request).startsWith('application/grpc');
const isGrpcPath = (path: string): boolean => /^\/(google|grpc)\.[A-Za-z0-9_.]+\/[A-Za-z0-9_]+$/.test(path);

const answerJson = (response: AnyResponse, code: number, json: string): void =>
  answerText(response, code, {'content-type': ERROR_TYPE}, json);

const refuse = (api: Api, response: AnyResponse, fault: Fault): void =>
  answerJson(response, fault.code, errorBody(api, fault));

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

/** Refuses requests for which `whyNot` gives a reason, with 403. */
export const refusing =
  (handler: Handler, whyNot: (request: AnyRequest) => string | undefined, onRefused?: OnRefused): Handler =>
  (request, response) => {
    const message = whyNot(request);
    if (message === undefined) return handler(request, response);
    const fault: Fault = {code: 403, reason: 'Forbidden', status: 'PERMISSION_DENIED', message};
    onRefused?.(request, response, fault);
    return refuse(apiOf(request.url ?? '/'), response, fault);
  };

/** With `--auth none`: refuses requests that may come from a web page of another site. `names`: more names of this machine. */
export const withoutForeignPages = (handler: Handler, onRefused?: OnRefused, names?: ReadonlySet<string>): Handler =>
  refusing(handler, request => whyForeign(request, names), onRefused);

/** With credentials: refuses what pages of other sites would do with the cookie or the client certificate of a browser. */
export const withoutCrossSite = (handler: Handler, onRefused?: OnRefused): Handler =>
  refusing(handler, request => whyCrossSite(request, credentialsOf(request).clientCertificate), onRefused);

/** A side that throws or rejects: logged, and the client gets an end, 500 where nothing was sent yet. */
const guarded = (
  api: Api,
  side: Side,
  log: Pick<Logger, 'error'>,
): ((request: AnyRequest, response: AnyResponse) => Promise<void>) => {
  return async (request, response) => {
    try {
      await side(request, response);
    } catch (error) {
      if (error instanceof ClientGoneError) return cutOff(response);
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
    answerJson(response, 404, JSON.stringify({code: 'unimplemented', message: `unknown method ${request.url}`}));
    return;
  }
  plain.writeHead(200, {'content-type': 'application/grpc'});
  plain.addTrailers({
    'grpc-status': '12',
    'grpc-message': encodeURIComponent(`unknown method ${request.url}`),
  });
  plain.end();
};

export const route = (sides: Sides, log: Pick<Logger, 'error'>, onRefused?: OnRefused): Handler => {
  const handlerOf = (api: Api, side: Side | undefined): Handler =>
    side === undefined
      ? (request, response) => {
          onRefused?.(request, response, switchedOff(api));
          refuse(api, response, switchedOff(api));
        }
      : guarded(api, side, log);
  const [kubernetes, ids] = [handlerOf('kubernetes', sides.kubernetes), handlerOf('ids', sides.ids)];
  const grpc = sides.grpc && guarded('ids', sides.grpc, log);
  const token = sides.token && guarded('kubernetes', sides.token, log);
  const console = sides.console && guarded('kubernetes', sides.console, log);
  const metrics = sides.metrics && guarded('kubernetes', sides.metrics, log);
  const health = sides.health && guarded('kubernetes', sides.health, log);
  return (request, response) => {
    const path = originForm(request.url ?? '/');
    if (path !== request.url) request.url = path;
    if (grpc !== undefined && (isGrpc(request) || isGrpcPath(path))) return grpc(request, response);
    if (token !== undefined && TOKEN_PATH.test(path)) return token(request, response);
    if (console !== undefined && CONSOLE_PATH.test(path)) return console(request, response);
    if (metrics !== undefined && METRICS_PATH.test(path)) return metrics(request, response);
    if (isIdsPath(path)) return ids(request, response);
    if (health !== undefined && HEALTH_PATH.test(path)) return health(request, response);
    return kubernetes(request, response);
  };
};
