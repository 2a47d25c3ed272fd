// SPDX-License-Identifier: Apache-2.0
import type {ServerResponse} from 'node:http';

/** HTTP/1.1 and HTTP/2 responses share this much; their union of overloads is not callable in TypeScript. */
type Response = {statusCode: number; setHeader(name: string, value: string): unknown};
type Headers = Readonly<Record<string, string>>;

/** Sends a whole answer with its length, which is told to HEAD too. */
export const answerText = (response: Response, code: number, headers: Headers, text: string): void => {
  response.statusCode = code;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('content-length', String(Buffer.byteLength(text)));
  (response as ServerResponse).end(text);
};
