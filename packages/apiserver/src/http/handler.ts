// SPDX-License-Identifier: Apache-2.0
/**
 * One request from the socket to the answer. The order, with the error exit of each step:
 * path (400) → who asks (401) → may they (403) → route (404, 405, 406, 415) → media type (406) → seats (429) → verb → answer.
 */
import type {ServerResponse} from 'node:http';
import {gzip} from 'node:zlib';
import {goDurationFault, goQuote} from '@palisade/kube-wire';
import type {Answer, WatchAnswer} from '../answer/answer.ts';
import {answerInOwnForm} from '../answer/answer-form.ts';
import {keptBytes, type ListBody} from '../answer/list-body.ts';
import {type Encoded, encodeAnswer, encodeStatus, type Wish} from '../answer/respond.ts';
import {attributesOf} from '../authz/attributes.ts';
import {sanitizeHtml} from '../authz/forbidden-access.ts';
import type {Kept, KeptStream} from '../authz/open-rights.ts';
import type {Headers} from '../base/headers.ts';
import type {Log} from '../base/log.ts';
import {badRequest, notAcceptable, tooManyRequests} from '../base/status-error.ts';
import {toStatus} from '../base/to-status.ts';
import type {Fairness} from '../fairness/fairness.ts';
import type {UserBound} from '../fairness/user-bound.ts';
import {ANONYMOUS, type UserInfo} from '../identity/authenticator.ts';
import {MEDIA_TYPE, negotiateOutput, negotiatePlain, type OutputMediaType, wantsPretty} from '../request/accept.ts';
import {decodePercent} from '../request/percent-encoding.ts';
import {parseQuery, type Query} from '../request/query.ts';
import {parseRequestInfo, type RequestInfo} from '../request/request-info.ts';
import type {RequestContext, Services} from '../verbs/object/request-context.ts';
import {type AdmissionParts, admit} from './admission.ts';
import {type Auditor, AuditTrail} from './audit/audit-trail.ts';
import {bodyText, recordAnswer} from './audit/bodies.ts';
import {logReleased, truncated} from './audit/released-holds.ts';
import type {RequestMeter} from './counts/request-counts.ts';
import {
  bodyTypeOf,
  ClientGoneError,
  cutOff,
  firstHeaderOf,
  type HttpRequest,
  type HttpResponse,
  headerOf,
  isGone,
  readBody,
  send,
  sendHead,
} from './exchange.ts';
import type {NonResourceRoutes} from './non-resource.ts';
import type {Router} from './router.ts';
import {clientOf, mutates, nameLane, type SeatedRequest, widthOf, withSeats} from './seats.ts';
import {GZIP_BYTES_MIN, GZIP_LEVEL, gzipHeaders, sendList} from './send-list.ts';
import type {AnswerAccount, UnreadAnswers} from './unread-answers.ts';
import {Warnings} from './warnings.ts';
import {openWatchResponse} from './watch-response.ts';
import {watchRight} from './watch-right.ts';
import {isUpgraded} from './websocket/upgrades.ts';
import {openWatchSocket} from './websocket/watch-socket.ts';
import {BODY_PIECE_BYTES, inPieces, writePieces} from './write-pieces.ts';

/** How a Status looks to a client that accepts no form of it. */
const INDENTED_JSON: OutputMediaType = {encoding: 'json', transform: undefined, pretty: true};

export type HandlerParts = AdmissionParts & {
  readonly services: Services;
  readonly router: Router;
  readonly nonResource: NonResourceRoutes;
  readonly unread: UnreadAnswers;
  readonly fairness: Fairness;
  /** Of long lists that are being sent. */
  readonly listBound: UserBound;
  readonly log: Log;
  /** Default: nothing is written to an audit log. */
  readonly auditor?: Auditor | undefined;
};

type Exchange = {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly method: string;
  readonly query: Query;
  readonly info: RequestInfo;
  readonly warnings: Warnings;
  /** What the client gave as `Audit-Id`, as it is, or one of our own: the answer and what is written down of it carry it. */
  readonly auditId: string;
  readonly account: AnswerAccount;
  readonly trail: AuditTrail | undefined;
  readonly meter: RequestMeter;
};

/** Never rejects: whatever happens becomes an answer, or a cut connection when the answer had begun. */
export const handleRequest = async (
  parts: HandlerParts,
  request: HttpRequest,
  response: HttpResponse,
): Promise<void> => {
  const auditId = firstHeaderOf(request, 'audit-id') || parts.services.random.uuid();
  const exchange = openExchange(parts, request, response, auditId);
  if (typeof exchange === 'number') return sendPlainRefusal(exchange, request, response, auditId);
  try {
    await answer(parts, exchange);
  } catch (error) {
    await answerFailure(parts, exchange, error).catch((second: unknown) => {
      parts.log.error({err: second, path: exchange.info.path}, 'error response could not be sent');
      cutOff(response);
    });
  }
  if (response.headersSent) exchange.meter.ended(response.statusCode, exchange.account.sentBytes);
  exchange.trail?.completed(() => attributesOf(ANONYMOUS, exchange.info));
};

/** Or the status of a request whose URL says nothing that could be answered. */
const openExchange = (
  {unread, auditor, counts}: HandlerParts,
  request: HttpRequest,
  response: HttpResponse,
  auditId: string,
): Exchange | 400 | 500 => {
  const meter = counts.begin();
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  const path = decodePercent(mark < 0 ? url : url.slice(0, mark));
  if (path === undefined) return 400;
  const query = parseQuery(mark < 0 ? '' : url.slice(mark + 1));
  const method = request.method ?? 'GET';
  const info = parseRequestInfo(method, path, query);
  if (info === undefined) return 500;
  const account = unread.accountOf(response, info.path, ANONYMOUS.name);
  const trail = auditor && new AuditTrail(auditor, {request, response, auditId});
  return {request, response, method, query, info, warnings: new Warnings(), auditId, account, trail, meter};
};

const sendPlainRefusal = (code: 400 | 500, {url = '/'}: HttpRequest, response: HttpResponse, auditId: string): void => {
  const text =
    code === 400
      ? '400 Bad Request'
      : `${sanitizeHtml(`Internal Server Error: ${goQuote(url)}: failed to create RequestInfo: unable to determine kind and namespace from url, ${url}`)}\n`;
  const headers: Headers = {'Audit-Id': auditId, 'Content-Type': 'text/plain; charset=utf-8'};
  if (code === 500) headers['X-Content-Type-Options'] = 'nosniff';
  send(response, code, headers, Buffer.from(text));
};

/** Paths that serve nothing, although the rest names a resource. */
const EMPTY_ROOT = /^\/(apis\/)?\//;

const answer = async (parts: HandlerParts, exchange: Exchange): Promise<void> => {
  checkTimeout(exchange);
  const from = exchange.method === 'GET' ? undefined : exchange.request.socket.remoteAddress; // a connection that ended has none
  const admitted = await admit(parts, exchange);
  const {user, requestor, byCredential} = admitted;
  const {info, request, method, query, meter} = exchange;
  if (!info.isResource || EMPTY_ROOT.test(info.path) || !parts.router.hasGroup(info.group)) {
    const keepRight = (end: KeptStream['end']): Kept | undefined => {
      const right = watchRight(parts, request, info, admitted);
      return right && parts.services.rights.keep({...right, end});
    };
    meter.atPath(info.path);
    exchange.response.setHeader('Audit-Id', exchange.auditId); // some routes answer by themselves
    await withSeats(parts.fairness, seatedRequest(exchange, user, {width: 1, heartbeats: false}), () =>
      parts.nonResource.answer({...exchange, user, keepRight}, encoded => sendEncoded(exchange, 200, encoded)),
    );
    return exchange.account.holdUnsent(exchange.response.writableLength);
  }
  const accept = headerOf(request, 'accept');
  const sentType = headerOf(request, 'content-type');
  const {kind, of, verb, handler, hasTable} = parts.router.route(method, info, accept, sentType);
  meter.routed({verb, info, query, contentType: sentType});
  for (const text of kind.warnings?.(parts.services.compat) ?? []) exchange.warnings.add(text);
  const output = outputFor(accept, hasTable);
  const {services} = parts;
  const {trail} = exchange;
  if (kind.strategy.answerOnce !== undefined) trail?.withhold();
  const contentType = bodyTypeOf(request);
  const context: RequestContext = {
    services,
    info,
    kind,
    registry: services.registryOf(of),
    query,
    output,
    user,
    userAgent: headerOf(request, 'user-agent'),
    body: {
      contentType,
      read: async () => {
        const bytes = await readBody(request, services.limits.requestBodyBytesMax, exchange.account);
        trail?.requested(bodyText(kind, services.compat, {method, contentType, bytes}, trail));
        return bytes;
      },
    },
    warn: text => exchange.warnings.add(text),
    annotate: (key, value) => trail?.annotate(key, value),
    right: () => watchRight(parts, request, info, admitted),
    onReleased: released => {
      trail?.annotate('palisade.io/released-holds', released.holds.join(', '));
      logReleased(parts.log, released, {request, user, requestor, verb: info.verb, from, auditId: exchange.auditId});
    },
  };
  const width = widthOf(services, kind, info, query);
  const needs = {width, heartbeats: kind.heartbeats === true};
  await withSeats(parts.fairness, seatedRequest(exchange, user, needs), async seats => {
    const result = answerInOwnForm(await handler(context));
    if (trail !== undefined) recordAnswer(trail, result);
    await sendAnswer(parts, exchange, {output, byCredential, user, keepSeats: seats.keep}, result);
  });
};

const seatedRequest = (
  {info, request, response, meter}: Exchange,
  user: UserInfo,
  {width, heartbeats}: {readonly width: number; readonly heartbeats: boolean},
): SeatedRequest => {
  const {path, verb} = info;
  const asked = {user, path, verb, heartbeats, from: request.socket.remoteAddress};
  return {asked, width, mutates: mutates(verb), client: clientOf(response), meter, onRefused: nameLane(response)};
};

/** `?timeout=` of a request that is expected to end. It is checked, but answers here do not take that long. Throws StatusError 400. */
const checkTimeout = ({info, query}: Exchange): void => {
  const timeout = query.get('timeout') ?? '';
  if (timeout === '' || info.verb === 'watch') return;
  const fault = goDurationFault(timeout);
  if (fault !== undefined) throw badRequest(`invalid timeout specified in the request URL - ${fault}`);
};

/** Throws StatusError 406. */
const outputFor = (accept: string | undefined, hasTable: boolean): OutputMediaType => {
  const output = negotiateOutput(accept, hasTable);
  if (output === undefined) throw notAcceptable(Object.values(MEDIA_TYPE));
  return output;
};

const wishOf = ({services}: HandlerParts, {query, request}: Exchange, output: OutputMediaType): Wish => ({
  output,
  pretty: wantsPretty(output, query.get('pretty'), headerOf(request, 'user-agent')),
  query,
  nowMs: services.clock.now(),
  listMemory: services.listMemory,
});

type Caller = {
  readonly output: OutputMediaType;
  readonly byCredential: boolean;
  readonly user: UserInfo;
  readonly keepSeats: () => {release(): void};
};

/** Until what it begins with is written. */
const holdingSeats = (watch: WatchAnswer, keepSeats: Caller['keepSeats']): WatchAnswer => ({
  ...watch,
  open: sink => {
    const seats = keepSeats();
    return watch.open(sink, () => seats.release());
  },
});

const sendAnswer = async (
  parts: HandlerParts,
  exchange: Exchange,
  {output, byCredential, user, keepSeats}: Caller,
  result: Answer,
): Promise<void> => {
  if (result.type === 'watch') {
    const {limits, timers, scheduler} = parts.services;
    const options = {timers, socketBytesMax: limits.watchSocketBytesMax, scheduler};
    const {request, response, trail, meter} = exchange;
    const watch = holdingSeats(result, keepSeats);
    const code = isUpgraded(request) ? 101 : 200;
    const stream = isUpgraded(request) ? request.socket : response;
    trail?.started(code, stream);
    if (!isGone(response)) meter.lasts(stream, code);
    if (isUpgraded(request)) return openWatchSocket(request, response, watch, {...options, byCredential});
    return openWatchResponse(response, watch, headersOf(exchange), options);
  }
  const encoded = encodeAnswer(result, wishOf(parts, exchange, output));
  if (encoded.stream === undefined) return sendEncoded(exchange, result.type === 'list' ? 200 : result.code, encoded);
  const headers = {...headersOf(exchange), 'Content-Type': encoded.contentType};
  const {account, response} = exchange;
  const how = {
    takesGzip: acceptsGzip(exchange.request),
    account,
    keptBytes: result.type === 'list' ? keptBytes(result) : 0,
  };
  const send = () => sendList(response, {code: 200, headers, ...how}, encoded.stream as ListBody, parts.services);
  if (encoded.stream.isShort) return send();
  const fault = parts.listBound.fault(user);
  if (fault !== undefined) throw tooManyRequests(fault, 1);
  const done = parts.listBound.take(user);
  await send().finally(done);
};

const answerFailure = async (parts: HandlerParts, exchange: Exchange, error: unknown): Promise<void> => {
  const {request, response, method, info, auditId} = exchange;
  if (error instanceof ClientGoneError) return cutOff(response);
  const {status, isFault, isUnexpected} = toStatus(error);
  if (isFault)
    parts.log.error({err: error, method, path: truncated(info.path), auditId: truncated(auditId)}, 'request failed');
  if (response.headersSent) return cutOff(response);
  const wish = wishOf(parts, exchange, negotiatePlain(headerOf(request, 'accept')) ?? INDENTED_JSON);
  const code = status.code ?? 500;
  exchange.trail?.failed({...status, code}, isUnexpected);
  const retryAfter = status.details?.retryAfterSeconds;
  if (retryAfter !== undefined) response.setHeader('Retry-After', String(retryAfter));
  if (code === 413 && request.httpVersionMajor === 1) {
    response.setHeader('Connection', 'close');
    response.statusMessage = 'Request Entity Too Large'; // Go's words
  }
  await sendEncoded(exchange, code, encodeStatus(status, wish));
};

const headersOf = ({warnings, auditId}: Exchange): Headers => {
  const headers: Headers = {'Audit-Id': auditId, 'Cache-Control': 'no-cache, private'};
  if (!warnings.isEmpty) headers['Warning'] = warnings.toHeaders();
  return headers;
};

const sendEncoded = async (exchange: Exchange, meant: number, encoded: Encoded): Promise<void> => {
  const {request} = exchange;
  const code = meant < 400 ? (encoded.failure ?? meant) : meant;
  const headers = headersOf(exchange);
  Object.assign(headers, encoded.headers, {'Content-Type': encoded.contentType});
  const body = encoded.pieces.length === 1 ? (encoded.pieces[0] as Buffer) : Buffer.concat(encoded.pieces);
  if (body.length < GZIP_BYTES_MIN || encoded.asIs === true || !acceptsGzip(request))
    return sendWhole(exchange, code, headers, body);
  Object.assign(headers, gzipHeaders(headers));
  return sendWhole(exchange, code, headers, await compress(body));
};

/** Throws StatusError 429 for what is no refusal, when too much waits for clients. */
const sendWhole = async (exchange: Exchange, code: number, headers: Headers, body: Buffer): Promise<void> => {
  const {response, account, method} = exchange;
  account.sentBytes = body.length;
  if (code < 400) account.demandRoom(body.length);
  else if ('stream' in response && account.fault(body.length, true) !== undefined)
    return sendHead(response, code, headers);
  if (body.length <= BODY_PIECE_BYTES || method === 'HEAD') {
    send(response, code, headers, body);
    return account.holdUnsent(body.length);
  }
  account.hold(body.length);
  headers['Content-Length'] = body.length;
  (response as ServerResponse).writeHead(code, headers as never);
  await writePieces(response, inPieces(body), () => account.progressed());
};

const acceptsGzip = (request: HttpRequest): boolean => {
  const encodings = headerOf(request, 'accept-encoding');
  return encodings?.split(',').some(encoding => encoding.trim() === 'gzip') === true;
};

const compress = (body: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    gzip(body, {level: GZIP_LEVEL}, (error, result) => (error === null ? resolve(result) : reject(error)));
  });
