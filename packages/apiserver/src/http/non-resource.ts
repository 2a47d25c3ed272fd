// SPDX-License-Identifier: Apache-2.0
/** Paths that are no resources: health, version, discovery, OpenAPI, the root. Unknown ones are a plain 404, as upstream. */

import type {Encoded} from '../answer/respond.ts';
import type {Kept, KeptStream} from '../authz/open-rights.ts';
import type {Headers} from '../base/headers.ts';
import {resourceNotServed} from '../base/status-error.ts';
import type {UserInfo} from '../identity/authenticator.ts';
import type {Query} from '../request/query.ts';
import type {RequestInfo} from '../request/request-info.ts';
import type {AuditTrail} from './audit/audit-trail.ts';
import {type HttpRequest, type HttpResponse, send} from './exchange.ts';
import type {HealthChecks} from './health.ts';
import type {Warnings} from './warnings.ts';

export type NonResourceExchange = {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly method: string;
  readonly query: Query;
  readonly info: RequestInfo;
  readonly user: UserInfo;
  readonly warnings: Warnings;
  readonly trail?: AuditTrail | undefined;
  /** Of a stream that lasts: `end` is called once when what the request was admitted for is gone. Undefined: nothing can be. */
  readonly keepRight: (end: KeptStream['end']) => Kept | undefined;
};

export type SendEncoded = (encoded: Encoded) => Promise<void>;

/** A document served below a fixed path; false when the path is not one of its own. */
export type DocumentRoute = (exchange: NonResourceExchange, sendEncoded: SendEncoded) => Promise<boolean> | boolean;

const TEXT = 'text/plain; charset=utf-8';

export class NonResourceRoutes {
  readonly #health: HealthChecks;
  readonly #documents: readonly DocumentRoute[];
  readonly #groups: ReadonlySet<string>;

  constructor(parts: {
    readonly health: HealthChecks;
    readonly documents: readonly DocumentRoute[];
    readonly groups: readonly string[];
  }) {
    this.#health = parts.health;
    this.#documents = parts.documents;
    this.#groups = new Set(parts.groups.filter(group => group !== ''));
  }

  #isOfGroup(path: string): boolean {
    return path.startsWith('/apis/') && this.#groups.has(path.split('/')[2] ?? '');
  }

  async answer(exchange: NonResourceExchange, sendEncoded: SendEncoded): Promise<void> {
    const {info, query} = exchange;
    const health = this.#health.answer(info.path, query);
    if (health !== undefined) return sendText(exchange, health.code, health.text, SINGLE_CHECK.test(info.path));
    for (const document of this.#documents) if (await document(exchange, sendEncoded)) return undefined;
    if (ROUTED.test(info.path) || this.#isOfGroup(info.path)) throw resourceNotServed();
    return sendText(exchange, 404, '404 page not found\n');
  }
}

/** Below these paths an unknown one is told in the words of the API. */
const ROUTED = /^\/(api|version)(\/|$)/;

/** One check that passes is answered without nosniff. Ref: kubernetes v1.36 apiserver/pkg/server/healthz/healthz.go. */
const SINGLE_CHECK = /^\/(healthz|livez|readyz)\/./;

const sendText = ({response, warnings}: NonResourceExchange, code: number, text: string, single = false): void => {
  const headers: Headers = {'Content-Type': TEXT, 'Cache-Control': 'no-cache, private'};
  if (!single || code !== 200) headers['X-Content-Type-Options'] = 'nosniff';
  if (!warnings.isEmpty) headers['Warning'] = warnings.toHeaders();
  send(response, code, headers, Buffer.from(text));
};
