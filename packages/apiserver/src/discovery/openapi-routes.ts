// SPDX-License-Identifier: Apache-2.0
/** /openapi/v2 and /openapi/v3: made from the same schemas as everything else, once, when the first client asks. */
import {
  encodeOpenApiV2Protobuf,
  encodeOpenApiV3Protobuf,
  goJson,
  inPlatformWords,
  type JsonObject,
  openApiV2,
  openApiV3,
  openApiV3Index,
  type TypeTable,
} from '@palisade/kube-wire';
import type {Compat} from '../base/compat.ts';
import type {Headers} from '../base/headers.ts';
import {digestOf, listedTags, sendTagged} from '../http/etag.ts';
import {type HttpResponse, headerOf, send} from '../http/exchange.ts';
import type {DocumentRoute, NonResourceExchange, SendEncoded} from '../http/non-resource.ts';
import type {KindDefinition} from '../kind/kind.ts';
import {namesTypes, negotiate} from '../request/accept.ts';
import {KUBERNETES_VERSION} from './version.ts';

const VERSION = `${KUBERNETES_VERSION.major}.${KUBERNETES_VERSION.minor}`;
const JSON_TYPE = 'application/json';
const V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
/** How the answer calls itself: the other name is no valid media type for strict readers. */
const V2_PROTOBUF_STRICT = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const V3_PROTOBUF = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf';
const V3_PROTOBUF_STRICT = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';

const V2_FORMS = [
  ['json', JSON_TYPE],
  ['protobuf', V2_PROTOBUF],
  ['protobuf', V2_PROTOBUF_STRICT],
] as const;
/** Upstream's has a compressing handler of its own before it, which says so. */
const V2_VARY: Headers = {Vary: ['Accept-Encoding', 'Accept']};
const V3_FORMS = [
  ['json', JSON_TYPE],
  ['protobuf', V3_PROTOBUF_STRICT],
  ['protobuf', V3_PROTOBUF],
] as const;

/** Both forms have the digest of the JSON. */
type V3Document = {readonly json: string; readonly digest: () => string; readonly protobuf: () => Buffer};

const once = <T>(make: () => T): (() => T) => {
  let value: {readonly made: T} | undefined;
  return () => {
    value ??= {made: make()};
    return value.made;
  };
};

const typesOf = (kinds: readonly KindDefinition[], compat: Compat): TypeTable => {
  const types = Object.assign({}, ...kinds.map(kind => kind.types)) as TypeTable;
  return compat.publishPlatformWords ? inPlatformWords(types) : types;
};

const toV3Document = (document: JsonObject): V3Document => {
  const json = goJson(document);
  return {
    json,
    digest: once(() => digestOf(json)),
    protobuf: once(() => encodeOpenApiV3Protobuf(JSON.parse(json))),
  };
};

export const openApiRoute = (kinds: readonly KindDefinition[], compat: Compat, nowMs: () => number): DocumentRoute => {
  const types = once(() => typesOf(kinds, compat));
  const v2 = once(() => openApiV2(types(), kinds, VERSION));
  const v2Json = once(() => Buffer.from(goJson(v2())));
  const v2Protobuf = once(() => encodeOpenApiV2Protobuf(v2()));
  const v3 = once(() => mapValues(openApiV3(types(), kinds, VERSION), toV3Document));
  const v2Digest = once(() => digestOf(v2Json()));
  const v3Index = once(() => goJson(openApiV3Index(mapValues(v3(), document => document.digest()))));
  return async (exchange, sendEncoded) => {
    const {info, request, response} = exchange;
    if (!info.path.startsWith('/openapi/v')) return false;
    const accept = headerOf(request, 'accept');
    if (info.path === '/openapi/v2') {
      const form = negotiate(accept, V2_FORMS, (_, encoding) => encoding);
      if (form === undefined) sendEmpty(response, 406, V2_VARY);
      else
        await sendTagged(exchange, sendEncoded, {digest: v2Digest(), headers: V2_VARY, conditions: listedTags}, () => ({
          contentType: form === 'json' ? JSON_TYPE : V2_PROTOBUF_STRICT,
          pieces: [form === 'json' ? v2Json() : v2Protobuf()],
          ...(exchange.method === 'HEAD' && {asIs: true}), // a body that is not sent is not compressed
        }));
      return true;
    }
    if (info.path === '/openapi/v3') {
      await sendEncoded({contentType: 'text/plain; charset=utf-8', pieces: [Buffer.from(v3Index())]});
      return true;
    }
    if (!info.path.startsWith('/openapi/v3/')) return false;
    const document = v3().get(info.path.slice('/openapi/v3/'.length));
    if (document === undefined) sendEmpty(response, 404);
    else if (!namesTypes(accept)) sendEmpty(response, 200);
    else await sendV3(exchange, sendEncoded, document, nowMs());
    return true;
  };
};

const mapValues = <T, U>(map: ReadonlyMap<string, T>, make: (value: T) => U): ReadonlyMap<string, U> =>
  new Map([...map].map(([key, value]) => [key, make(value)]));

/** Who asks by the hash of the index may keep the document for a year; who has an old hash is told the new one. */
const sendV3 = (
  exchange: NonResourceExchange,
  sendEncoded: SendEncoded,
  document: V3Document,
  nowMs: number,
): Promise<void> | void => {
  const {info, query, request, response} = exchange;
  const form = negotiate(headerOf(request, 'accept'), V3_FORMS, (_, encoding) => encoding);
  if (form === undefined) return sendEmpty(response, 406, {Vary: 'Accept'});
  const contentType = form === 'json' ? JSON_TYPE : V3_PROTOBUF_STRICT;
  const digest = document.digest();
  const asked = query.get('hash') ?? '';
  if (asked !== '' && asked !== digest) {
    const Location = `${info.path}?hash=${digest}`;
    return sendEmpty(response, 301, {Location, 'Content-Type': contentType, ETag: `"${digest}"`, Vary: 'Accept'});
  }
  const headers = asked === '' ? {} : {'Cache-Control': 'public, immutable', Expires: inOneYear(nowMs)};
  return sendTagged(exchange, sendEncoded, {digest, headers, conditions: listedTags}, () => ({
    contentType,
    pieces: [form === 'json' ? Buffer.from(document.json) : document.protobuf()],
    asIs: true, // upstream compresses the second version only
  }));
};

const inOneYear = (nowMs: number): string => {
  const date = new Date(nowMs);
  date.setUTCFullYear(date.getUTCFullYear() + 1);
  return date.toUTCString();
};

/** As upstream: no body, no content type of its own. 200 is for an Accept that names nothing. */
const sendEmpty = (response: HttpResponse, code: 200 | 301 | 404 | 406, headers: Headers = {}): void =>
  send(response, code, {'Cache-Control': 'no-cache, private', ...headers}, Buffer.alloc(0));
