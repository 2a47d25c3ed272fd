// SPDX-License-Identifier: Apache-2.0
/**
 * The pages of the console. Every path that is no file is a page: index.html, whose script reads the path. It has a nonce of its own
 * for each answer and is never cached; files below `assets` have a hash in their name and are cached for good.
 */
import type {ServerResponse} from 'node:http';
import type {HttpRequest} from '@palisade/apiserver';
import {answerText} from '../port/answer-text.ts';
import type {AnyRequest, AnyResponse} from '../port/listeners.ts';
import {type Coding, type ConsoleFile, type ConsoleFiles, isFileName} from './console-files.ts';
import {newNonce, securityHeaders} from './security-headers.ts';

const NONCE_PLACE = '__CSP_NONCE__';
const ASSETS = 'assets/';
const FOR_GOOD = 'public, max-age=31536000, immutable';
const ASKED_AGAIN = 'no-cache';
const TEXT = 'text/plain; charset=utf-8';

const textOf = (request: HttpRequest, name: string): string => {
  const value = request.headers[name];
  return (typeof value === 'string' ? value : value?.[0]) ?? '';
};

/** An answer in words. */
export const answerWords = (response: AnyResponse, code: number, text: string, more: Record<string, string> = {}) =>
  answerText(
    response,
    code,
    {...securityHeaders(), 'content-type': TEXT, 'cache-control': 'no-store', ...more},
    `${text}\n`,
  );

/** The path below /console/, decoded. Undefined: no browser asks for such a one. */
const nameIn = (path: string): string | undefined => {
  try {
    const name = decodeURIComponent(path.slice('/console/'.length));
    return /[\0\\]/.test(name) || name.split('/').includes('..') ? undefined : name;
  } catch {
    return undefined;
  }
};

/** `a;q=0` says that it is not taken. */
const takes = (request: HttpRequest, coding: Coding): boolean =>
  textOf(request, 'accept-encoding')
    .split(',')
    .some(word => {
      const [name = '', ...parameters] = word.split(';').map(part => part.trim().toLowerCase());
      return name === coding && !parameters.some(parameter => /^q=0(\.0*)?$/.test(parameter));
    });

const codedAs = (request: HttpRequest, {coded}: ConsoleFile): Coding | undefined =>
  (['br', 'gzip'] as const).find(coding => coded[coding] !== undefined && takes(request, coding));

const isKnown = (request: HttpRequest, etag: string): boolean =>
  textOf(request, 'if-none-match')
    .split(',')
    .some(word => word.trim().replace(/^W\//, '') === etag);

const sendFile = async (request: AnyRequest, response: AnyResponse, name: string, file: ConsoleFile): Promise<void> => {
  const coding = codedAs(request, file);
  const etag = coding === undefined ? file.etag : `${file.etag.slice(0, -1)}-${coding}"`;
  const headers = {
    ...securityHeaders(),
    'content-type': file.type,
    'cache-control': name.startsWith(ASSETS) ? FOR_GOOD : ASKED_AGAIN,
    etag,
    vary: 'Accept-Encoding',
    ...(coding === undefined ? {} : {'content-encoding': coding}),
  };
  const isNew = !isKnown(request, etag);
  const body = isNew ? await ((coding && file.coded[coding]) ?? file.read)() : undefined;
  response.statusCode = isNew ? 200 : 304;
  for (const [header, value] of Object.entries(headers)) response.setHeader(header, value);
  if (body !== undefined) response.setHeader('content-length', String(body.length));
  (response as ServerResponse).end(request.method === 'HEAD' ? undefined : body);
};

const sendPage = (response: AnyResponse, index: string): void => {
  const nonce = newNonce();
  const headers = {...securityHeaders(nonce), 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store'};
  answerText(response, 200, headers, index.replaceAll(NONCE_PLACE, nonce));
};

/** `path`: of the request, without the query; it begins with /console/. */
export const serveStatic = async (
  files: Pick<ConsoleFiles, 'index' | 'find'>,
  request: AnyRequest,
  response: AnyResponse,
  path: string,
): Promise<void> => {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return answerWords(response, 405, 'use GET', {allow: 'GET, HEAD'});
  const name = nameIn(path);
  const file = name === undefined || name === 'index.html' ? undefined : await files.find(name);
  if (name !== undefined && file !== undefined) return sendFile(request, response, name, file);
  const index = await files.index();
  if (index === undefined) return answerWords(response, 503, 'the console is not built; run make setup');
  if (name === undefined) return answerWords(response, 404, 'no such page');
  const isLink = textOf(request, 'accept').includes('text/html'); // names of objects may end as files do
  if (name.startsWith(ASSETS) || (isFileName(name) && !isLink && name !== 'index.html'))
    return answerWords(response, 404, 'no such file');
  return sendPage(response, index);
};
