// SPDX-License-Identifier: Apache-2.0
import {type AuditEntry, type KubeClient, readAudit} from '@palisade/client/browser';

export type AuditRow = {
  /** Unique: a request may have several stages. */
  readonly key: string;
  readonly time: string;
  /** `alice`, or `alice as deployer`. */
  readonly user: string;
  /** With the subresource: `update status`. */
  readonly verb: string;
  /** 0: the request has no answer yet. */
  readonly code: number;
  /** The program: `kubectl`, `browser`; '' if it gives no name. */
  readonly client: string;
  /** The name that the client gives itself, as a whole. */
  readonly from: string;
  /** Nothing was written. */
  readonly isDryRun: boolean;
  readonly entry: AuditEntry;
};

/** `kubectl/v1.34.1 (linux/amd64) …` → `kubectl`. */
const programOf = (userAgent: string): string =>
  userAgent.startsWith('Mozilla/') ? 'browser' : (/^[^\s/(]+/.exec(userAgent)?.[0] ?? userAgent);

const isDry = (uri: string): boolean => {
  const mark = uri.indexOf('?');
  return mark >= 0 && new URLSearchParams(uri.slice(mark)).get('dryRun') === 'All';
};

export function toAuditRow(entry: AuditEntry): AuditRow {
  const real = entry.user.username ?? '';
  const acted = entry.impersonatedUser?.username;
  const subresource = entry.objectRef?.subresource;
  return {
    key: `${entry.auditID} ${entry.stage}`,
    time: entry.requestReceivedTimestamp,
    user: acted === undefined ? real : `${real} as ${acted}`,
    verb: subresource === undefined ? entry.verb : `${entry.verb} ${subresource}`,
    code: entry.responseStatus?.code ?? 0,
    client: programOf(entry.userAgent ?? ''),
    from: entry.userAgent ?? '',
    isDryRun: isDry(entry.requestURI),
    entry,
  };
}

/** How many entries are read. */
export const AUDIT_ENTRIES = 200;

/** The newest entries about a set, the newest first. Throws as readAudit. */
export async function readSetAudit(
  client: Pick<KubeClient, 'getLines'>,
  {namespace, name}: {readonly namespace: string; readonly name: string},
  signal: AbortSignal,
): Promise<readonly AuditRow[]> {
  const rows: AuditRow[] = [];
  // The dot: of the core group alone.
  const query = {resource: 'endpoints.', namespace, name, limit: AUDIT_ENTRIES};
  for await (const entry of readAudit(client, query, {signal})) rows.push(toAuditRow(entry));
  return rows.reverse();
}

export const matchingAudit = (rows: readonly AuditRow[], q: string): readonly AuditRow[] => {
  const words = q
    .toLowerCase()
    .split(/\s+/)
    .filter(word => word !== '');
  return rows.filter(row => {
    const text =
      `${row.user} ${row.verb} ${row.code} ${row.client} ${row.from}${row.isDryRun ? ' dry run' : ''}`.toLowerCase();
    return words.every(word => text.includes(word));
  });
};
