// SPDX-License-Identifier: Apache-2.0
/** The texts for failures that are known by their HTTP status only. Ref: apimachinery pkg/api/errors NewGenericServerResponse. */
import {goQuote} from '../go/quote.ts';
import {failureStatus, type GroupResource, groupResourceText, type Status, type StatusReason} from './status.ts';

const BY_CODE: Readonly<Record<number, {reason: StatusReason; message: string}>> = {
  400: {reason: 'BadRequest', message: 'the server rejected our request for an unknown reason'},
  401: {reason: 'Unauthorized', message: 'the server has asked for the client to provide credentials'},
  404: {reason: 'NotFound', message: 'the server could not find the requested resource'},
  405: {reason: 'MethodNotAllowed', message: 'the server does not allow this method on the requested resource'},
  406: {
    reason: 'NotAcceptable',
    message: 'the server was unable to respond with a content type that the client supports',
  },
  409: {reason: 'Conflict', message: 'the server reported a conflict'},
  422: {reason: 'Invalid', message: 'the server rejected our request due to an error in our request'},
  429: {
    reason: 'TooManyRequests',
    message: 'the server has received too many requests and has asked us to try again later',
  },
  503: {reason: 'ServiceUnavailable', message: 'the server is currently unable to handle the request'},
  504: {
    reason: 'Timeout',
    message: 'the server was unable to return a response in the time allotted, but may still be processing the request',
  },
};

export type GenericFailure = {
  readonly code: number;
  /** HTTP method; `POST` makes a conflict an AlreadyExists. */
  readonly method?: string;
  readonly of?: GroupResource;
  readonly name?: string;
  /** What the server said, where the generic text passes it on (403, 406, 415, 5xx). */
  readonly serverMessage?: string;
};

/** A Status for a bare HTTP status; `details` is there, if only as `{}`. */
export function genericStatus(failure: GenericFailure): Status {
  const {code, method = '', of = {group: '', resource: ''}, name = '', serverMessage = ''} = failure;
  const {reason, message} = wordsFor(code, method, serverMessage);
  const resource = groupResourceText(of);
  const subject = name === '' ? resource : `${resource} ${name}`;
  const text = resource === '' ? message : `${message} (${method.toLowerCase()} ${subject})`;
  return failureStatus(code, reason, text, {name, group: of.group, kind: of.resource});
}

function wordsFor(code: number, method: string, serverMessage: string): {reason: StatusReason; message: string} {
  if (code === 403) return {reason: 'Forbidden', message: serverMessage};
  if (code === 415) return {reason: 'UnsupportedMediaType', message: serverMessage};
  if (code === 406 && serverMessage !== '') return {reason: 'NotAcceptable', message: serverMessage};
  if (code === 409 && method === 'POST') return {reason: 'AlreadyExists', message: 'the server reported a conflict'};
  const words = BY_CODE[code];
  if (words !== undefined) return words;
  if (code >= 500) {
    const message = `an error on the server (${goQuote(serverMessage)}) has prevented the request from succeeding`;
    return {reason: 'InternalError', message};
  }
  return {reason: '', message: `the server responded with the status code ${code} but did not return more information`};
}
