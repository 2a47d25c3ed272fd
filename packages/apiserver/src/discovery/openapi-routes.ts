// SPDX-License-Identifier: Apache-2.0
/** /openapi/v2 and /openapi/v3: made from the same schemas as everything else, once, when the first client asks. */
import {
  encodeOpenApiV2Protobuf,
  inPlatformWords,
  openApiV2,
  openApiV3,
  openApiV3Index,
  type TypeTable,
} from '@palisade/wire/kube';
import type {Compat} from '../compat.ts';
import {goJson} from '../go-json.ts';
import {negotiate} from '../http/accept.ts';
import {digestOf, sendTagged} from '../http/etag.ts';
import {type HttpResponse, headerOf} from '../http/exchange.ts';
import type {DocumentRoute, NonResourceExchange, SendEncoded} from '../http/non-resource.ts';
import type {KindDefinition} from '../kind.ts';
import {KUBERNETES_VERSION} from './version.ts';

const VERSION = `${KUBERNETES_VERSION.major}.${KUBERNETES_VERSION.minor}`;
const JSON_TYPE = 'application/json';
const V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
/** How the answer calls itself: the newer name is no valid media type for strict readers. */
const V2_PROTOBUF_OLD = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

const V2_FORMS = [
  ['json', JSON_TYPE],
  ['protobuf', V2_PROTOBUF],
  ['protobuf', V2_PROTOBUF_OLD],
] as const;
/** Who asks for protobuf is sent JSON, which clients read as well. */
const V3_FORMS = [
  ['json', JSON_TYPE],
  ['json', 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf'],
  ['json', 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf'],
] as const;

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

export const openApiRoute = (kinds: readonly KindDefinition[], compat: Compat, nowMs: () => number): DocumentRoute => {
  const types = once(() => typesOf(kinds, compat));
  const v2 = once(() => openApiV2(types(), kinds, VERSION));
  const v2Json = once(() => Buffer.from(goJson(v2())));
  const v2Protobuf = once(() => encodeOpenApiV2Protobuf(v2()));
  const v3 = once(
    () => new Map([...openApiV3(types(), kinds, VERSION)].map(([path, document]) => [path, goJson(document)])),
  );
  const v2Digest = once(() => digestOf(v2Json()));
  const v3Index = once(() => goJson(openApiV3Index(v3(), digestOf)));
  return async (exchange, sendEncoded) => {
    const {info, request, response} = exchange;
    if (!info.path.startsWith('/openapi/v')) return false;
    const accept = headerOf(request, 'accept');
    if (info.path === '/openapi/v2') {
      const form = negotiate(accept, V2_FORMS, (_, encoding) => encoding);
      if (form === undefined) sendEmpty(response, 406);
      else
        await sendTagged(exchange, sendEncoded, {digest: v2Digest(), headers: {}}, () =>
          form === 'json'
            ? {contentType: JSON_TYPE, pieces: [v2Json()]}
            : {contentType: V2_PROTOBUF_OLD, pieces: [v2Protobuf()]},
        );
      return true;
    }
    if (info.path === '/openapi/v3') {
      await sendEncoded({contentType: 'text/plain; charset=utf-8', pieces: [Buffer.from(v3Index())]});
      return true;
    }
    if (!info.path.startsWith('/openapi/v3/')) return false;
    const document = v3().get(info.path.slice('/openapi/v3/'.length));
    if (document === undefined) sendEmpty(response, 404);
    else if (negotiate(accept, V3_FORMS, (_, encoding) => encoding) === undefined) sendEmpty(response, 406);
    else await sendV3(exchange, sendEncoded, document, nowMs());
    return true;
  };
};

/** Who asks by the hash of the index may keep the document for a year; who has an old hash is told the new one. */
const sendV3 = (
  exchange: NonResourceExchange,
  sendEncoded: SendEncoded,
  document: string,
  nowMs: number,
): Promise<void> | void => {
  const {info, query, response} = exchange;
  const digest = digestOf(document);
  const asked = query.get('hash') ?? '';
  if (asked !== '' && asked !== digest) {
    response.setHeader('Location', `${info.path}?hash=${digest}`);
    response.setHeader('Content-Type', JSON_TYPE);
    return sendEmpty(response, 301);
  }
  const headers = asked === '' ? {} : {'Cache-Control': 'public, immutable', Expires: inOneYear(nowMs)};
  return sendTagged(exchange, sendEncoded, {digest, headers}, () => ({
    contentType: JSON_TYPE,
    pieces: [Buffer.from(document)],
  }));
};

const inOneYear = (nowMs: number): string => {
  const date = new Date(nowMs);
  date.setUTCFullYear(date.getUTCFullYear() + 1);
  return date.toUTCString();
};

/** As upstream: no body, no content type. */
const sendEmpty = (response: HttpResponse, code: 301 | 404 | 406): void => {
  response.statusCode = code;
  response.end();
};
