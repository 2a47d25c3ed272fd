// SPDX-License-Identifier: Apache-2.0
/** Which of the two APIs a request belongs to, by its path; each works with the other switched off. Ref: requirements X-001. */
import type {ServerResponse} from 'node:http';
import type {HealthChecks} from '@palisade/apiserver';
import type {AnyRequest, AnyResponse, Handler} from './listeners.ts';

export type Side = (request: AnyRequest, response: AnyResponse) => void | Promise<void>;
export type Sides = {
  readonly kubernetes: Side | undefined;
  readonly ids: Side | undefined;
  /** gRPC, gRPC-Web and Connect; answers every POST whose path is a known method. */
  readonly grpc: Side | undefined;
  /** `/metrics` where the Kubernetes side, which otherwise answers it, is not served. */
  readonly metrics: Side | undefined;
  /** Health where the Kubernetes side, which otherwise answers it, is not served. */
  readonly health: HealthChecks;
};

const IDS_PATH = /^\/(v1|compute\/v1)(\/|$|\?)/;
const METRICS_PATH = /^\/metrics(\?|$)/;
const HEALTH_PATH = /^\/(healthz|livez|readyz)(\/|$|\?)/;
const contentType = (request: AnyRequest): string => String(request.headers['content-type'] ?? '');
const isGrpc = (request: AnyRequest): boolean => contentType(request).startsWith('application/grpc');
const isGrpcPath = (path: string): boolean => /^\/(google|grpc)\.[A-Za-z0-9_.]+\/[A-Za-z0-9_]+$/.test(path);

/** HTTP/1.1 and HTTP/2 responses share this much; their union of overloads is not callable in TypeScript. */
const answerText = (response: AnyResponse, code: number, type: string, text: string): void => {
  const plain = response as ServerResponse;
  plain.writeHead(code, {'content-type': type});
  plain.end(text);
};

const answerJson = (response: AnyResponse, code: number, body: object): void => {
  answerText(response, code, 'application/json; charset=UTF-8', JSON.stringify(body));
};

const switchedOff = (side: 'kubernetes' | 'ids', response: AnyResponse): void => {
  const message = `this server runs without its ${side} side: start it with --apis all or --apis ${side}`;
  if (side === 'ids') answerJson(response, 404, {error: {code: 404, message, status: 'NOT_FOUND'}});
  else
    answerJson(response, 404, {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason: 'NotFound',
      details: {},
      code: 404,
    });
};

const plainHealth = (health: HealthChecks, target: string, response: AnyResponse): void => {
  const {code, text} = health.answerTarget(target) ?? {code: 404, text: '404 page not found\n'};
  answerText(response, code, 'text/plain; charset=utf-8', text);
};

/** A gRPC method that no service has: status 12 in the trailers, where every client looks for it. */
export const unknownGrpcMethod = (request: AnyRequest, response: AnyResponse): void => {
  const plain = response as ServerResponse;
  if (!isGrpc(request)) {
    answerJson(response, 404, {code: 'unimplemented', message: `${request.url} is no method of this server`});
    return;
  }
  plain.writeHead(200, {'content-type': 'application/grpc'});
  plain.addTrailers({
    'grpc-status': '12',
    'grpc-message': encodeURIComponent(`${request.url} is no method of this server`),
  });
  plain.end();
};

export const route = (sides: Sides): Handler => {
  return (request, response) => {
    const path = request.url ?? '/';
    const run = (side: Side | undefined, name: 'kubernetes' | 'ids'): void =>
      side === undefined ? switchedOff(name, response) : void side(request, response);
    if (sides.grpc !== undefined && (isGrpc(request) || isGrpcPath(path))) return void sides.grpc(request, response);
    if (sides.metrics !== undefined && METRICS_PATH.test(path)) return void sides.metrics(request, response);
    if (IDS_PATH.test(path)) return run(sides.ids, 'ids');
    if (sides.kubernetes === undefined && HEALTH_PATH.test(path)) return plainHealth(sides.health, path, response);
    return run(sides.kubernetes, 'kubernetes');
  };
};
