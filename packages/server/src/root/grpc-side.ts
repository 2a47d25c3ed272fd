// SPDX-License-Identifier: Apache-2.0
/** gRPC, gRPC-Web and Connect over node:http and node:http2. Ref: connectNodeAdapter, which writes its failures to stderr itself. */
import {isGone} from '@palisade/apiserver';
import type {IdsApi} from '@palisade/ids';
import {type Side, unknownGrpcMethod} from '../port/router.ts';
import type {Logger} from '../process/logger.ts';

/** Bytes of one gRPC message. */
const GRPC_BYTES_MAX = 4 * 1024 * 1024;

// What belongs to the IDS side alone is loaded when that side is served: without it a server needs a third less memory.
export const grpcSide = async (
  {routes, contextValues, anyTypes}: IdsApi,
  log: Pick<Logger, 'error'>,
): Promise<Side> => {
  const [connect, node] = await Promise.all([import('@connectrpc/connect'), import('@connectrpc/connect-node')]);
  const router = connect.createConnectRouter({
    grpc: true,
    grpcWeb: true,
    connect: true,
    jsonOptions: {registry: anyTypes},
    readMaxBytes: GRPC_BYTES_MAX,
    acceptCompression: [node.compressionGzip, node.compressionBrotli],
  });
  routes(router);
  const handlers = new Map(router.handlers.map(handler => [handler.requestPath, handler]));
  return (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const handler = handlers.get(path);
    if (handler === undefined) return unknownGrpcMethod(request, response);
    handler(node.universalRequestFromNodeRequest(request, response, undefined, contextValues(request, response)))
      .then(answer => node.universalResponseToNodeResponse(answer, response))
      .catch((error: unknown) => {
        if (!isGone(response)) log.error({err: error, path}, 'gRPC call failed');
      });
    return undefined;
  };
};
