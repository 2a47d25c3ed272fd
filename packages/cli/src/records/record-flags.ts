// SPDX-License-Identifier: Apache-2.0
/** Flags of `palisade threats` and `palisade traffic`, and what their values mean. */
import {AGGREGATE_GROUPS, parseTimestamp, parseWidth, type RecordKind} from '@palisade/ids-wire';
import {UsageError} from '../command-line/io.ts';
import type {OptionTable} from '../command-line/options.ts';
import {idsConnectionOptions} from '../connection/connection.ts';

export const recordFlags = (kind: RecordKind) =>
  ({
    endpoint: {
      type: 'string',
      value: 'NAME',
      completes: 'endpoint',
      doc: 'print records of this name ("-" is a wildcard) or ID (default: all)',
    },
    since: {type: 'string', value: 'T', doc: 'print records since an RFC 3339 time, or an age such as 30s, 2h, 7d'},
    until: {type: 'string', value: 'T', doc: 'print records before a time, in the same forms'},
    filter: {type: 'string', value: 'F', doc: 'print records that match an AIP-160 filter on the fields of --json'},
    order: {
      type: 'string',
      value: 'ORDER',
      oneOf: ['oldest', 'newest'],
      doc: 'print oldest records first, unless newest is given',
    },
    limit: {type: 'string', value: 'N', doc: 'print the N newest records; with --group-by, N groups (default 20)'},
    histogram: {
      type: 'string',
      value: '[WIDTH]',
      doc: 'print how many there were by time; WIDTH such as 30s, 5m, 1h, 1d',
    },
    'group-by': {
      type: 'string',
      value: 'FIELD',
      oneOf: AGGREGATE_GROUPS[kind],
      doc: 'print how many there were of each value of a field',
    },
    follow: {type: 'boolean', short: 'f', doc: 'keep running and print new records'},
    ...idsConnectionOptions,
  }) as const satisfies OptionTable;

/** The CLI chooses the width. */
export const AUTO_WIDTH = 'auto';

/** `--histogram` may go without a value, which other flags may not. A word after it is its value: these commands take no other word. */
export const withHistogramWidth = (words: readonly string[]): string[] =>
  words.map((word, i) => {
    const isWidth = !(words[i + 1] ?? '-').startsWith('-');
    return word === '--histogram' && !isWidth ? `--histogram=${AUTO_WIDTH}` : word;
  });

const UNIT_MS: Readonly<Record<string, number>> = {s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000};
/** The times of RFC 3339. */
const YEAR_MIN_MS = Date.parse('0001-01-01T00:00:00Z');

/** RFC 3339 text of `--since` or `--until`. Throws UsageError. */
export const parseTime = (flag: 'since' | 'until', text: string, nowMs: number): string => {
  const age = /^(\d+)([smhd])$/.exec(text);
  const isTime = /^\d{4}-\d\d-\d\d/.test(text);
  const at =
    age !== null ? nowMs - Number(age[1]) * (UNIT_MS[age[2] ?? ''] ?? 0) : isTime ? Date.parse(text) : Number.NaN;
  // what the server reads keeps its microseconds
  if (at >= YEAR_MIN_MS) return parseTimestamp(text) === undefined ? new Date(at).toISOString() : text;
  const tooOld = age === null ? '' : 'is before the year 1: ';
  throw new UsageError(
    `--${flag} ${text}: ${tooOld}give a time such as 2026-01-31T12:00:00Z or an age such as 10m (s, m, h or d)`,
  );
};

/** RFC 3339 texts of both. Throws UsageError. */
export const parseTimes = (
  {since, until}: {readonly since: string | undefined; readonly until: string | undefined},
  nowMs: number,
): {readonly since?: string; readonly until?: string} => {
  const times = {
    ...(since === undefined ? {} : {since: parseTime('since', since, nowMs)}),
    ...(until === undefined ? {} : {until: parseTime('until', until, nowMs)}),
  };
  if (Date.parse(times.since ?? '') > Date.parse(times.until ?? ''))
    throw new UsageError(`--since ${since} is later than --until ${until}: there is no time between them`);
  return times;
};

export const LIMIT_MAX = 100_000;
const GROUPS_MAX = 1_000;

type Given = {
  readonly follow: boolean;
  readonly limit: string | undefined;
  readonly order: string | undefined;
  readonly until: string | undefined;
  readonly histogram: string | undefined;
  readonly 'group-by': string | undefined;
};

/** What one flag says of another. Throws UsageError with every fault. */
export const parseLimits = (flags: Given): {readonly limit: number | undefined} => {
  const {follow, limit, histogram, 'group-by': groupBy} = flags;
  const sums = histogram !== undefined || groupBy !== undefined;
  const faults: string[] = [];
  const max = groupBy === undefined ? LIMIT_MAX : GROUPS_MAX;
  const count = limit === undefined ? undefined : Number(limit);
  if (count !== undefined && !(Number.isInteger(count) && count >= 1 && count <= max))
    faults.push(`--limit ${limit}: must be a whole number from 1 to ${max}`);
  if (follow)
    for (const name of ['until', 'limit', 'order', 'histogram', 'group-by'] as const)
      if (flags[name] !== undefined) faults.push(`--${name} cannot be combined with --follow`);
  if (sums && flags.order !== undefined) faults.push('--order cannot be combined with --histogram or --group-by');
  if (histogram !== undefined && groupBy === undefined && limit !== undefined)
    faults.push('--limit cannot be combined with --histogram: give --since or --until');
  if (histogram !== undefined && histogram !== AUTO_WIDTH && parseWidth(histogram) === undefined)
    faults.push(`--histogram ${histogram}: must be a width such as 5m or 1h: a number, and s, m, h or d`);
  if (faults.length > 0) throw new UsageError(faults.join('\n'));
  return {limit: count};
};
