// SPDX-License-Identifier: Apache-2.0
/** What every gRPC method does around its handler: who calls, and how a failure is told. */
import {
  type Code,
  ConnectError,
  type ContextValues,
  createContextKey,
  createContextValues,
  type HandlerContext,
} from '@connectrpc/connect';
import {rpcCodeNumber} from '@palisade/wire/ids';
import {type Auth, type Caller, identify, type Sender, usersOf} from '../auth.ts';
import {type AnyRequest, senderOf} from '../http/exchange.ts';
import type {Service} from '../service.ts';
import {messageOf} from '../system.ts';
import {toRpcError} from '../to-rpc-status.ts';
import {toProtoDetail} from './encode.ts';

const senderKey = createContextKey<Sender>({headers: {}, rawHeaders: []}, {description: 'who sent the request'});

/** For the Connect adapter: metadata as it came (Connect joins what repeats), and the verified client certificate. */
export const contextValuesOf = (request: AnyRequest): ContextValues =>
  createContextValues().set(senderKey, senderOf(request));

export type GrpcDeps = Auth & {readonly service: Service};

/** A method implementation from a handler that wants a caller. */
export const method =
  <I, O>(deps: GrpcDeps, handle: (caller: Caller, request: I, context: HandlerContext) => Promise<O>) =>
  async (request: I, context: HandlerContext): Promise<O> => {
    let caller: Caller | undefined;
    try {
      caller = await identify(
        deps,
        context.values.get(senderKey),
        `/${context.service.typeName}/${context.method.name}`,
      );
      return await handle(caller, request, context);
    } catch (error) {
      throw toConnectError(deps.service, caller, error);
    }
  };

export const toConnectError = (service: Service, caller: Caller | undefined, thrown: unknown): ConnectError => {
  const error = toRpcError(thrown);
  const fields = {code: error.code, ...usersOf(caller), err: messageOf(error.cause ?? error)};
  if (error.cause !== undefined) service.log.error(fields, 'ids: a call failed');
  else service.log.debug(fields, 'ids: a call was refused');
  // Connect's codes are the gRPC numbers.
  const code = rpcCodeNumber(error.code) as Code;
  const details = error.details.map(detail => toProtoDetail(detail));
  return new ConnectError(error.message, code, undefined, details, error.cause);
};
