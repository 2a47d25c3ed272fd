// SPDX-License-Identifier: Apache-2.0
/** Values and errors as REST answers. */
import {type HttpErrorJson, httpStatusOf, selectFields} from '@palisade/ids-wire';
import type {RpcError} from '../rpc-error.ts';
import {type AnyResponse, JSON_TYPE, sendText, trailOf} from './exchange.ts';
import type {Query} from './query.ts';

const PRETTY_INDENT = 2;

/** A JSON value, with the request's field selection and indentation. */
export const sendJson = (response: AnyResponse, query: Query, value: unknown): void => {
  trailOf(response)?.answered(() => JSON.stringify(value));
  const selected = query.selection === undefined ? value : selectFields(value, query.selection);
  sendText(response, 200, JSON_TYPE, JSON.stringify(selected, null, query.pretty ? PRETTY_INDENT : 0));
};

/** JSON text that is ready; parsed again only where the query wants another form. */
export const sendJsonText = (response: AnyResponse, query: Query, text: string): void => {
  trailOf(response)?.answered(() => text);
  if (query.selection === undefined && !query.pretty) sendText(response, 200, JSON_TYPE, text);
  else sendJson(response, query, JSON.parse(text));
};

export const errorJson = (error: RpcError): HttpErrorJson => ({
  error: {
    code: httpStatusOf(error.code),
    message: error.message,
    status: error.code,
    ...(error.details.length > 0 ? {details: error.details} : {}),
  },
});

export const sendError = (response: AnyResponse, error: RpcError): void => {
  if (response.headersSent) {
    response.end();
    return;
  }
  const delay = error.details.map(detail => ('retryDelay' in detail ? detail.retryDelay : '')).join('');
  if (delay !== '') response.setHeader('retry-after', delay.replace(/s$/, ''));
  if (error.code === 'UNAUTHENTICATED') response.setHeader('www-authenticate', 'Bearer realm="palisade"');
  sendText(response, httpStatusOf(error.code), JSON_TYPE, JSON.stringify(errorJson(error)));
};
