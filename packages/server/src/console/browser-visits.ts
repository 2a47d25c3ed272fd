// SPDX-License-Identifier: Apache-2.0
/** A browser that opens the address of the server alone wants the console; to every other client the root is a path of the API. */
import {answerText} from '../port/answer-text.ts';
import type {AnyRequest, AnyResponse, Handler} from '../port/listeners.ts';
import {securityHeaders} from './security-headers.ts';

const ROOT = /^\/(\?|$)/;

/** Whether text/html is the first choice. Ref: RFC 9110 section 12.5.1; of equal choices browsers write the best first. */
const prefersPages = (accept: string): boolean => {
  const choices = accept.split(',').map(choice => {
    const [type = '', ...parameters] = choice.split(';').map(part => part.trim().toLowerCase());
    const quality = parameters.find(parameter => parameter.startsWith('q='))?.slice('q='.length);
    return {type, quality: quality === undefined ? 1 : Number(quality)};
  });
  const best = Math.max(...choices.map(({quality}) => quality));
  return best > 0 && choices.find(({quality}) => quality === best)?.type === 'text/html';
};

const isVisit = ({method, url = '/', headers}: AnyRequest): boolean =>
  method === 'GET' && ROOT.test(url) && prefersPages(String(headers.accept ?? ''));

/** 302 to /console/ with the query of the request. */
export const leadToConsole = (response: AnyResponse, url: string): void => {
  const mark = url.indexOf('?');
  const location = `/console/${mark < 0 ? '' : url.slice(mark)}`;
  answerText(response, 302, {...securityHeaders(), location, vary: 'Accept'}, '');
};

/** Browsers at the root are led to the console, before authentication; it is public itself. */
export const leadingBrowsers =
  (handler: Handler): Handler =>
  (request, response) =>
    isVisit(request) ? leadToConsole(response, request.url ?? '/') : handler(request, response);
