// SPDX-License-Identifier: Apache-2.0
/** What every gRPC method does around its handler: who calls, and how a failure is told. */
import {type Code, ConnectError, createContextKey, type HandlerContext} from '@connectrpc/connect';
import {rpcCodeNumber} from '@palisade/wire/ids';
import {type Authenticator, type Authorizer, type Caller, type Credentials, identify} from '../auth.ts';
import type {Service} from '../service.ts';
import {messageOf} from '../system.ts';
import {toRpcError} from '../to-rpc-status.ts';
import {toProtoDetail} from './encode.ts';

/** A server with TLS puts the verified client certificate here (`contextValues` of the Connect adapter). */
export const clientCertificateKey = createContextKey<Credentials['clientCertificate']>(undefined, {
  description: 'verified client certificate',
});

export type GrpcDeps = {
  readonly service: Service;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
};

/** A method implementation from a handler that wants a caller. */
export const method =
  <I, O>(deps: GrpcDeps, handle: (caller: Caller, request: I, context: HandlerContext) => Promise<O>) =>
  async (request: I, context: HandlerContext): Promise<O> => {
    try {
      const credentials: Credentials = {
        headers: Object.fromEntries(context.requestHeader),
        clientCertificate: context.values.get(clientCertificateKey),
      };
      const caller = await identify(deps, credentials, `/${context.service.typeName}/${context.method.name}`);
      return await handle(caller, request, context);
    } catch (error) {
      throw toConnectError(deps.service, error);
    }
  };

const toConnectError = (service: Service, thrown: unknown): ConnectError => {
  const error = toRpcError(thrown);
  if (error.cause !== undefined)
    service.log.error({code: error.code, err: messageOf(error.cause)}, 'ids: a call failed');
  // Connect's codes are the gRPC numbers.
  const code = rpcCodeNumber(error.code) as Code;
  const details = error.details.map(detail => toProtoDetail(detail));
  return new ConnectError(error.message, code, undefined, details, error.cause);
};
