// SPDX-License-Identifier: Apache-2.0
/** /openapi/v2 and /openapi/v3: made from the same schemas as everything else, once, when the first client asks. */
import {createHash} from 'node:crypto';
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
import {headerOf} from '../http/exchange.ts';
import type {DocumentRoute} from '../http/non-resource.ts';
import type {KindDefinition} from '../kind.ts';
import {methodNotAllowed, routeNotAcceptable} from '../status-error.ts';

const JSON_TYPE = 'application/json';
const V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
/** How the answer calls itself: the newer name is no valid media type for strict readers. */
const V2_PROTOBUF_OLD = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

const once = <T>(make: () => T): (() => T) => {
  let value: {readonly made: T} | undefined;
  return () => {
    value ??= {made: make()};
    return value.made;
  };
};

const digest = (text: string): string => createHash('sha512').update(text).digest('hex').toUpperCase();

const typesOf = (kinds: readonly KindDefinition[], compat: Compat): TypeTable => {
  const types = Object.assign({}, ...kinds.map(kind => kind.types)) as TypeTable;
  return compat.publishPlatformWords ? inPlatformWords(types) : types;
};

export const openApiRoute = (kinds: readonly KindDefinition[], compat: Compat): DocumentRoute => {
  const types = once(() => typesOf(kinds, compat));
  const v2 = once(() => openApiV2(types(), kinds));
  const v2Json = once(() => Buffer.from(goJson(v2())));
  const v2Protobuf = once(() => encodeOpenApiV2Protobuf(v2()));
  const v3 = once(() => new Map([...openApiV3(types(), kinds)].map(([path, document]) => [path, goJson(document)])));
  const v3Index = once(() => goJson(openApiV3Index(v3(), digest)));
  return async ({info, method, request, response}, sendEncoded) => {
    if (!info.path.startsWith('/openapi/')) return false;
    const accept = headerOf(request, 'accept') ?? '';
    if (info.path === '/openapi/v2') {
      if (method !== 'GET') throw methodNotAllowed();
      const protobuf = [V2_PROTOBUF, V2_PROTOBUF_OLD].find(type => accept.includes(type));
      if (protobuf !== undefined) await sendEncoded({contentType: V2_PROTOBUF_OLD, pieces: [v2Protobuf()]});
      else if (accept === '' || /\*\/\*|application\/(json|\*)/.test(accept))
        await sendEncoded({contentType: JSON_TYPE, pieces: [v2Json()]});
      else throw routeNotAcceptable([JSON_TYPE, V2_PROTOBUF]);
      return true;
    }
    if (info.path === '/openapi/v3' || info.path === '/openapi/v3/') {
      await sendEncoded({contentType: 'text/plain; charset=utf-8', pieces: [Buffer.from(v3Index())]});
      return true;
    }
    if (!info.path.startsWith('/openapi/v3/')) return false;
    const document = v3().get(info.path.slice('/openapi/v3/'.length));
    if (document === undefined) {
      response.statusCode = 404; // as upstream: no body, no content type
      response.end();
      return true;
    }
    await sendEncoded({contentType: JSON_TYPE, pieces: [Buffer.from(document)]});
    return true;
  };
};
