// SPDX-License-Identifier: Apache-2.0
import {RestClient} from '../../../ids/rest-client.ts';
import type {ConsoleServer} from '../console-server.ts';

/** APPLY is a PATCH of server-side apply. */
const TYPES = {
  POST: 'application/json',
  PUT: 'application/json',
  DELETE: 'application/json',
  PATCH: 'application/merge-patch+json',
  APPLY: 'application/apply-patch+yaml',
} as const;

export type Send = (
  method: keyof typeof TYPES,
  path: string,
  body: object,
  query?: Readonly<Record<string, string>>,
) => Promise<void>;

/** Requests as admin; one that is refused rejects with the server's answer. */
export const sender =
  ({rest}: ConsoleServer): Send =>
  async (method, path, body, query) => {
    const typed = new RestClient(rest.url, {...rest.headers, 'content-type': TYPES[method]});
    const {status, text} = await typed.call(method === 'APPLY' ? 'PATCH' : method, path, query, body);
    if (status >= 400) throw new Error(`${method} ${path}: ${status} ${text}`);
  };
