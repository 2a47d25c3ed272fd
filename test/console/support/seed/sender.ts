// SPDX-License-Identifier: Apache-2.0
import type {ConsoleServer} from '../console-server.ts';

const TYPES: Readonly<Record<string, string>> = {
  POST: 'application/json',
  PUT: 'application/json',
  DELETE: 'application/json',
  PATCH: 'application/merge-patch+json',
  APPLY: 'application/apply-patch+yaml',
};

/** APPLY is a PATCH of server-side apply. */
export type Send = (
  method: 'POST' | 'PUT' | 'PATCH' | 'APPLY' | 'DELETE',
  path: string,
  body: object,
  query?: Readonly<Record<string, string>>,
) => Promise<void>;

/** Requests as admin; one that is refused rejects with the server's answer. */
export const sender =
  ({rest}: ConsoleServer): Send =>
  async (method, path, body, query = {}) => {
    const search = new URLSearchParams(query).toString();
    const response = await fetch(`${rest.url}${path}${search === '' ? '' : `?${search}`}`, {
      method: method === 'APPLY' ? 'PATCH' : method,
      headers: {...rest.headers, 'content-type': TYPES[method] ?? ''},
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  };
