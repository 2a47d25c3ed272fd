// SPDX-License-Identifier: Apache-2.0
/** The audit log of our server, `GET /audit`: the verb get on that path is needed. */
import type {KubeClient} from './kube-client.ts';
import {KubeError, statusOf} from './kube-error.ts';

/** Ref: audit.k8s.io/v1 Event; further members pass through. */
export type AuditEntry = {
  readonly auditID: string;
  /** RequestReceived, ResponseStarted, ResponseComplete or Panic. */
  readonly stage: string;
  /** RFC 3339 with microseconds: when the request came, and when the stage was reached. */
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly user: {readonly username?: string; readonly groups?: readonly string[]};
  readonly impersonatedUser?: {readonly username?: string; readonly groups?: readonly string[]};
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: {readonly code?: number; readonly reason?: string; readonly message?: string};
  readonly annotations?: Readonly<Record<string, string>>;
} & Readonly<Record<string, unknown>>;

export type AuditQuery = {
  readonly user?: string | undefined;
  readonly verb?: string | undefined;
  /** NAME[.GROUP][/SUBRESOURCE], such as `endpoints.` (the core group alone) or `endpoints.ids.googleapis.com/threats`. */
  readonly resource?: string | undefined;
  /** On the IDS side the project. */
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly decision?: 'allow' | 'forbid' | undefined;
  readonly code?: number | undefined;
  /** RFC 3339, or an age such as 1h. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** The newest ones only, up to 100,000. */
  readonly limit?: number | undefined;
  /** Stays open for what comes; not with `until` and `limit`. */
  readonly follow?: boolean | undefined;
};

/** The server sends an empty line more often. */
const SILENCE_MS = 60_000;

/** Oldest first. Throws KubeError (403 without the right; 404: the server keeps no audit log in a file), TransportError. */
export async function* readAudit(
  client: Pick<KubeClient, 'getLines'>,
  {follow = false, limit, code, ...words}: AuditQuery,
  options: {readonly signal?: AbortSignal | undefined} = {},
): AsyncGenerator<AuditEntry> {
  const query = {
    ...words,
    limit: limit === undefined ? undefined : String(limit),
    code: code === undefined ? undefined : String(code),
    follow: follow ? '1' : undefined,
  };
  for await (const line of client.getLines('/audit', {query, silenceMs: SILENCE_MS, signal: options.signal})) {
    const entry = JSON.parse(line) as AuditEntry & {readonly kind?: unknown};
    const ended = entry.kind === 'Status' ? statusOf(entry) : undefined; // the right to the stream is gone
    if (ended !== undefined) throw new KubeError(ended);
    yield entry;
  }
}
