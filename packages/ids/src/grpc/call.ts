// SPDX-License-Identifier: Apache-2.0
/** What every gRPC method does around its handler: the caller, and how a failure is answered. */
import {create, type DescMessage, type MessageInitShape, toBinary, toJsonString} from '@bufbuild/protobuf';
import {
  type Code,
  ConnectError,
  type ContextValues,
  createContextKey,
  createContextValues,
  type HandlerContext,
} from '@connectrpc/connect';
import {ANONYMOUS, type AnswerAccount, type Client, cutOff, type Fairness} from '@palisade/apiserver';
import {rpcCodeNumber} from '@palisade/ids-wire';
import {type Audits, auditedFailure, trailFor} from '../audit.ts';
import {type Auth, type Caller, identify, pathAttributes, type Sender, usersOf} from '../auth.ts';
import {type AnyRequest, type AnyResponse, senderOf} from '../http/exchange.ts';
import {answersWait} from '../rpc-error.ts';
import {seated, type Work} from '../seated.ts';
import type {Service} from '../state/service.ts';
import {messageOf} from '../system.ts';
import {isUnreported, toRpcError} from '../to-rpc-status.ts';
import {ANY_TYPES, toProtoDetail} from './encode.ts';

const senderKey = createContextKey<Sender>({headers: {}, rawHeaders: []}, {description: 'sender of the request'});

const responseKey = createContextKey<AnyResponse | undefined>(undefined, {description: 'response'});
const requestKey = createContextKey<AnyRequest | undefined>(undefined, {description: 'request'});

/**
 * For the Connect adapter: metadata as it came (Connect joins what repeats), the verified client certificate, and the response, where
 * what waits for the client is counted.
 */
export const contextValuesOf = (request: AnyRequest, response?: AnyResponse): ContextValues =>
  createContextValues().set(senderKey, senderOf(request)).set(requestKey, request).set(responseKey, response);

export type GrpcDeps = Auth & Audits & {readonly service: Service; readonly fairness: Fairness};

/** A method implementation from a handler that wants a caller. */
export const method =
  <I, O>(
    deps: GrpcDeps,
    handle: (caller: Caller, request: I, context: HandlerContext) => Promise<O>,
    work: Work = 'short',
  ) =>
  async (request: I, context: HandlerContext): Promise<O> => {
    const {service} = deps;
    const {service: of, method: called, values} = context;
    const response = values.get(responseKey);
    const asked = values.get(requestKey);
    const trail = asked && response && trailFor(deps, asked, response);
    trail?.requested(() =>
      toJsonString(context.method.input, create(context.method.input, request as MessageInitShape<DescMessage>)),
    );
    const path = `/${of.typeName}/${called.name}`;
    const account = response && service.unread.accountOf(response, called.name, ANONYMOUS.name);
    let caller: Caller | undefined;
    try {
      caller = await identify(deps, {...values.get(senderKey), trail}, path);
      account?.belongsTo(caller.requestor.name);
      const from = values.get(senderKey).remoteAddress;
      const known = caller;
      const who = {
        caller,
        path: `/${of.typeName}/${called.name}`,
        from,
        ...{mutates: changes(called.name)},
        client: clientOf(context),
      };
      const answer = await seated(deps.fairness, work, who, () => handle(known, request, context));
      if (account !== undefined) holdAnswer(account, context, answer as MessageInitShape<DescMessage>);
      trail?.answered(() =>
        toJsonString(context.method.output, create(context.method.output, answer as MessageInitShape<DescMessage>), {
          registry: ANY_TYPES,
        }),
      );
      return answer;
    } catch (error) {
      const failure = toRpcError(error);
      trail?.failed(auditedFailure(failure), failure.code === 'INTERNAL');
      if (account?.fault(0, true) === undefined) account?.hold(0);
      else if (response !== undefined) cutOff(response);
      throw toConnectError(service, caller, error);
    } finally {
      trail?.completed(() => pathAttributes('post', path));
    }
  };

const clientOf = ({signal}: HandlerContext): Client => ({
  get isGone() {
    return signal.aborted;
  },
  whenGone: action => {
    signal.addEventListener('abort', action, {once: true});
    return () => signal.removeEventListener('abort', action);
  },
});

const changes = (called: string): boolean => !/^(Get|List|Wait)/.test(called);

/** Throws RESOURCE_EXHAUSTED when too much waits for clients. */
const holdAnswer = (
  account: AnswerAccount,
  {method: {output}}: HandlerContext,
  answer: MessageInitShape<DescMessage>,
): void => {
  const {length} = toBinary(output, create(output, answer));
  const fault = account.fault(length);
  if (fault !== undefined) throw answersWait(fault);
  account.hold(length);
};

export const toConnectError = (service: Service, caller: Caller | undefined, thrown: unknown): ConnectError => {
  const error = toRpcError(thrown);
  const fields = {code: error.code, ...usersOf(caller), err: messageOf(error.cause ?? error)};
  if (isUnreported(error)) service.log.error(fields, 'ids: call failed');
  else service.log.debug(fields, 'ids: call refused');
  // Connect's codes are the gRPC numbers.
  const code = rpcCodeNumber(error.code) as Code;
  const details = error.details.map(detail => toProtoDetail(detail));
  return new ConnectError(error.message, code, undefined, details, error.cause);
};
