// SPDX-License-Identifier: Apache-2.0
/** Flags of `palisade audit`, and parameters of `GET /audit`: texts → AuditQuery, with every fault at once. */
import {AUDIT_TEXTS, type AuditQuery} from './audit-query.ts';

export const AUDIT_LIMIT_MAX = 100_000;

type AuditWords = Readonly<Record<string, string | undefined>>;

const UNIT_MS: Readonly<Record<string, number>> = {s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000};

/** Milliseconds since the epoch; NaN: it is no time. */
const timeOf = (text: string, nowMs: number): number => {
  const [, figure, unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? [];
  if (figure !== undefined) return nowMs - Number(figure) * (UNIT_MS[unit] ?? 0);
  return /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
};

const isOn = (text: string | undefined): boolean =>
  text !== undefined && text !== '' && text !== '0' && text !== 'false';

/** A stream without `since` begins now. `say`: how the user knows a word, such as `--since`. A word that is '' counts as absent. */
export const parseAuditWords = (
  words: AuditWords,
  nowMs: number,
  say: (name: string) => string,
): {readonly query: AuditQuery; readonly faults: readonly string[]} => {
  const faults: string[] = [];
  const given = (name: string): string | undefined => words[name] || undefined;
  const fault = (name: string, text: string): void => void faults.push(`${say(name)} ${given(name)}: ${text}`);
  const time = (name: 'since' | 'until'): number | undefined => {
    const text = given(name);
    const ms = text === undefined ? undefined : timeOf(text, nowMs);
    if (Number.isNaN(ms))
      fault(name, 'must be a time such as 2026-01-31T12:00:00Z, or an age such as 10m (s, m, h or d)');
    return ms;
  };
  const isFollowing = isOn(given('follow'));
  const query = {
    ...Object.fromEntries(AUDIT_TEXTS.map(name => [name, given(name)])),
    sinceMs: time('since') ?? (isFollowing ? nowMs : undefined),
    untilMs: time('until'),
    limit: given('limit') === undefined ? undefined : Number(given('limit')),
    follow: isFollowing,
    allStages: given('stages') === 'all',
  };
  const {limit, follow, sinceMs, untilMs} = query;
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= AUDIT_LIMIT_MAX))
    fault('limit', `must be a whole number from 1 to ${AUDIT_LIMIT_MAX}`);
  if (given('decision') !== undefined && !['allow', 'forbid'].includes(given('decision') ?? ''))
    fault('decision', 'must be allow or forbid');
  if (given('code') !== undefined && !/^[1-5]\d\d$/.test(given('code') ?? ''))
    fault('code', 'must be an HTTP status code such as 403');
  if (given('stages') !== undefined && !['all', 'last'].includes(given('stages') ?? ''))
    fault('stages', 'must be all or last');
  if (follow)
    for (const name of ['until', 'limit'])
      if (given(name) !== undefined) fault(name, `cannot be used with ${say('follow')}`);
  if (sinceMs !== undefined && untilMs !== undefined && sinceMs > untilMs)
    fault('since', `is later than ${say('until')}`);
  return {query, faults};
};

const NAMES: ReadonlySet<string> = new Set([...AUDIT_TEXTS, 'since', 'until', 'limit', 'follow', 'stages']);

/** Names that nothing here reads. */
export const unknownAuditWords = (names: Iterable<string>): string[] => [...names].filter(name => !NAMES.has(name));
