// SPDX-License-Identifier: Apache-2.0
/** What the tests use of it; it brings no types. */
declare module 'oidc-provider' {
  import type {IncomingMessage, ServerResponse} from 'node:http';
  export class Provider {
    constructor(issuer: string, configuration: object);
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  }
}
