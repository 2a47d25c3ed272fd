// SPDX-License-Identifier: Apache-2.0
import {createHash} from 'node:crypto';
import type {ClientCertificate} from '../identity/authenticator.ts';

/** What no authenticator looks at, and what differs from one request of a client to its next. Any other header may be a credential. */
const UNRELATED =
  /^(:.*|accept(-.*)?|audit-id|cache-control|content-.*|host|kubectl-.*|sec-websocket-(key|version|extensions)|traceparent|tracestate|user-agent|x-request-id)$/i;

type Shown = {
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  readonly clientCertificate?: ClientCertificate | undefined;
};

/** Equal for requests that are let in alike: the same credentials and the same Impersonate-* headers. A digest: it shows no secret. */
export const credentialKey = ({rawHeaders, clientCertificate}: Shown): string => {
  const related: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (!UNRELATED.test(name)) related.push(name.toLowerCase(), rawHeaders[i + 1] as string);
  }
  const hash = createHash('sha256').update(JSON.stringify(related));
  for (const certificate of clientCertificate?.chain ?? []) hash.update(certificate);
  return hash.digest('base64');
};
