// SPDX-License-Identifier: Apache-2.0
import {sendJson} from './answer.ts';
import type {Route} from './routes.ts';

/**
 * `GET /v1/server`, which Cloud IDS does not have: `{"uid": "…"}`, by which clients tell whether two addresses are one server. Any
 * caller with a credential may ask: it says nothing of what the server holds.
 */
export const serverRoutes = (uid: string): readonly Route[] => [
  {
    method: 'GET',
    path: /^(server)$/,
    parameters: [],
    handle: async ({query, response}) => sendJson(response, query, {uid}),
  },
];
