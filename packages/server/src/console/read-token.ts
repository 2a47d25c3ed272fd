// SPDX-License-Identifier: Apache-2.0
/** The body of a sign-in: `{"token": "…"}`, or nothing. */
import type {AnyRequest} from '../port/listeners.ts';
import {type BodyBound, readText} from '../port/read-text.ts';
import type {SignInFault} from './sign-in.ts';

const BODY_BYTES_MAX = 65_536;
/** Anything else could come from the form of a page of any site. */
const JSON_TYPE = /^\s*application\/json\s*(;|$)/i;
/** What a header can hold. */
const TOKEN = /^[\x21-\x7e]+$/;

const fault = (code: SignInFault['code'], message: string): SignInFault => ({code, message});

/** Neither an error nor an answer repeats the text. */
const tokenIn = (text: string): string | SignInFault => {
  if (text.trim() === '') return '';
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return fault(400, 'the body must be JSON: {"token": "…"}');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return fault(400, 'the body must be a JSON object: {"token": "…"}');
  const {token} = body as {token?: unknown};
  if (token === undefined) return '';
  if (typeof token !== 'string' || !TOKEN.test(token.trim()))
    return fault(400, 'token must be text without spaces, as after "Authorization: Bearer"');
  return token.trim();
};

/** '': no token is given, so the certificate of the connection is meant. What comes before a sign-in has the bounds of other bodies. */
export const readToken = async (request: AnyRequest, bound?: BodyBound): Promise<string | SignInFault> => {
  const type = String(request.headers['content-type'] ?? '');
  if (type !== '' && !JSON_TYPE.test(type)) return fault(415, 'Content-Type must be application/json');
  const text = await readText(request, {bytesMax: BODY_BYTES_MAX, bound});
  if (typeof text !== 'string') return text;
  if (type === '' && text.trim() !== '') return fault(415, 'Content-Type must be application/json');
  return tokenIn(text);
};
