// SPDX-License-Identifier: Apache-2.0
/** `fetch` for an issuer whose certificate is of a private CA, which Node's own takes no CA for. Redirects are not followed. */
import {type RequestOptions, request} from 'node:https';
import type {CustomFetch, CustomFetchOptions} from 'openid-client';

const DOCUMENT_BYTES_MAX = 1024 * 1024;

const textOf = (body: CustomFetchOptions['body']): string | undefined => {
  if (body === null || body === undefined) return undefined;
  if (typeof body === 'string' || body instanceof URLSearchParams) return String(body);
  throw new TypeError('only text and forms are sent to an issuer');
};

/** `ca`: PEM certificates to trust; undefined: those that Node brings. Rejects with an error of node:https, or when too much comes. */
export const httpsFetch =
  (ca: string | undefined): CustomFetch =>
  (url, {method, headers, body, signal}) =>
    new Promise<Response>((resolve, reject) => {
      const text = textOf(body);
      const length = text === undefined ? {} : {'content-length': String(Buffer.byteLength(text))};
      const options: RequestOptions = {
        ...{agent: false, method, headers: {...headers, 'user-agent': 'palisade', ...length}},
        ...(signal === undefined ? {} : {signal}),
        ...(ca === undefined ? {} : {ca}),
      };
      const sent = request(url, options, response => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > DOCUMENT_BYTES_MAX) sent.destroy(new Error(`more than ${DOCUMENT_BYTES_MAX} bytes came`));
          else chunks.push(chunk);
        });
        response.once('error', reject);
        response.once('end', () => {
          const fields = Object.entries(response.headers).flatMap(([name, value]) =>
            [value ?? []].flat().map((each): [string, string] => [name, each]),
          );
          const status = response.statusCode ?? 500;
          const isEmpty = [204, 205, 304].includes(status);
          resolve(new Response(isEmpty ? null : Buffer.concat(chunks), {status, headers: fields}));
        });
      });
      sent.once('error', reject);
      sent.end(text);
    });
