// SPDX-License-Identifier: Apache-2.0
/**
 * Documents that clients keep: discovery and OpenAPI carry the digest of their text, and who has it already is answered 304.
 * Ref: kubernetes v1.36 apiserver/pkg/endpoints/discovery/aggregated/etag.go; kube-openapi pkg/handler, pkg/handler3.
 */
import {createHash} from 'node:crypto';
import type {Encoded} from '../answer/respond.ts';
import type {Headers} from '../base/headers.ts';
import {type HttpRequest, type HttpResponse, headerOf, sendHead} from './exchange.ts';
import type {SendEncoded} from './non-resource.ts';

/** SHA-512 in upper-case hex: what OpenAPI's index calls the hash, and an ETag has between its quotes. */
export const digestOf = (text: string | Buffer): string =>
  createHash('sha512').update(text).digest('hex').toUpperCase();

type Exchange = {readonly request: HttpRequest; readonly response: HttpResponse; readonly method: string};

/** What the conditions of a request make of the answer, given the tag with its quotes: whole, 304, or 412. */
export type Conditions = (exchange: Exchange, tag: string) => 200 | 304 | 412;

/** Discovery, in every method: only the very text of the tag is known. */
export const sameTag: Conditions = ({request}, tag) => (headerOf(request, 'if-none-match') === tag ? 304 : 200);

/** OpenAPI, as Go's http.ServeContent: lists of tags and `*`; what only a read may skip fails in other methods. */
export const listedTags: Conditions = ({request, method}, tag) => {
  const wanted = headerOf(request, 'if-match') ?? '';
  if (wanted !== '' && !names(wanted, tag, '')) return 412;
  if (!names(headerOf(request, 'if-none-match') ?? '', tag, 'W/')) return 200;
  return method === 'GET' || method === 'HEAD' ? 304 : 412;
};

/** One member of a list of tags; what is malformed ends the list. */
const MEMBER = /[\s,]*(?:(\*)|(W\/)?("[!#-~\x80-\xff]*"))/y;

/** `mark` is one that the tag may have in the list: W/, or none. */
const names = (list: string, tag: string, mark: '' | 'W/'): boolean => {
  MEMBER.lastIndex = 0;
  for (let found = MEMBER.exec(list); found !== null; found = MEMBER.exec(list)) {
    const [, any, weak = ''] = found;
    if (any !== undefined || (found[3] === tag && (weak === '' || weak === mark))) return true;
  }
  return false;
};

/** Sends the document under its digest, or 304 or 412 without a body. `encoded` is made only when it is sent. */
export const sendTagged = async (
  exchange: Exchange,
  send: SendEncoded,
  {digest, headers, conditions}: {readonly digest: string; readonly headers: Headers; readonly conditions: Conditions},
  encoded: () => Encoded,
): Promise<void> => {
  const {response} = exchange;
  const ETag = `"${digest}"`;
  const tagged = {Vary: 'Accept', ...headers, ETag};
  const code = conditions(exchange, ETag);
  if (code === 200) return send({...encoded(), headers: tagged});
  const type = code === 412 ? {'Content-Type': encoded().contentType} : {};
  sendHead(response, code, {'Cache-Control': 'no-cache, private', ...tagged, ...type});
};
