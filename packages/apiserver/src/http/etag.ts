// SPDX-License-Identifier: Apache-2.0
/**
 * Documents that clients keep: discovery and OpenAPI carry the digest of their text, and who has it already is answered 304.
 * Ref: kubernetes v1.36 apiserver/pkg/endpoints/discovery/aggregated/etag.go; kube-openapi pkg/handler, pkg/handler3.
 */
import {createHash} from 'node:crypto';
import type {ServerResponse} from 'node:http';
import {type Headers, type HttpRequest, type HttpResponse, headerOf} from './exchange.ts';
import type {SendEncoded} from './non-resource.ts';
import type {Encoded} from './respond.ts';

/** SHA-512 in upper-case hex: what OpenAPI's index calls the hash, and an ETag has between its quotes. */
export const digestOf = (text: string | Buffer): string =>
  createHash('sha512').update(text).digest('hex').toUpperCase();

/** What the client sent as If-None-Match names this digest. */
const isKnown = (ifNoneMatch: string | undefined, digest: string): boolean =>
  (ifNoneMatch ?? '').split(',').some(tag => ['*', `"${digest}"`].includes(tag.trim().replace(/^W\//, '')));

type Exchange = {readonly request: HttpRequest; readonly response: HttpResponse; readonly method: string};

/** Sends the document under its digest, or 304 without a body. `encoded` is made only when it is sent. */
export const sendTagged = async (
  {request, response, method}: Exchange,
  send: SendEncoded,
  {digest, headers}: {readonly digest: string; readonly headers: Headers},
  encoded: () => Encoded,
): Promise<void> => {
  const tagged = {Vary: 'Accept', ...headers, ETag: `"${digest}"`};
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead || !isKnown(headerOf(request, 'if-none-match'), digest)) return send({...encoded(), headers: tagged});
  for (const [name, value] of Object.entries(tagged)) response.setHeader(name, value as string);
  response.statusCode = 304;
  (response as ServerResponse).end();
};
