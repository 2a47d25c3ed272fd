// SPDX-License-Identifier: Apache-2.0
/** `palisade threats` and `palisade traffic`: the records of one endpoint or of all, as rows or as JSON lines, once or followed. */
import {setTimeout as sleep} from 'node:timers/promises';
import {type Clock, type IdsClient, isIdsError, keepFollowing, type RecordKind, type RecordOf} from '@palisade/client';
import {FilterError, parseFilter} from '@palisade/ids-wire';
import {monotonicClock, systemClock} from '@palisade/server/system';
import type {Command} from '../command-line/command.ts';
import {type CliIo, EXIT, UsageError} from '../command-line/io.ts';
import {type OptionTable, parseOptions} from '../command-line/options.ts';
import {
  allEndpoints,
  EVERYWHERE,
  idsConnectionOptions,
  resolveEndpoint,
  withIdsClient,
} from '../connection/connection.ts';
import {endpointLabels, recordTable} from '../text/record-table.ts';

const options = {
  endpoint: {
    type: 'string',
    value: 'NAME',
    completes: 'endpoint',
    doc: 'print records of this name ("-" is a wildcard) or ID (default: all)',
  },
  since: {type: 'string', value: 'T', doc: 'print records since an RFC 3339 time, or an age such as 30s, 2h, 7d'},
  filter: {type: 'string', value: 'F', doc: 'print records that match an AIP-160 filter on the fields of --json'},
  follow: {type: 'boolean', short: 'f', doc: 'keep running and print new records'},
  ...idsConnectionOptions,
} as const satisfies OptionTable;

const UNIT_MS: Readonly<Record<string, number>> = {s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000};
const PAGE = 500;
/** How long a server may be away from those who follow. */
const AWAY_MS_MAX = 60_000;
/** `filters`: the flags that may have left some out. */
const noRecords = (kind: RecordKind, filters: readonly string[]): string => {
  const none = `no ${kind === 'threats' ? 'threat' : 'traffic'} logs${filters.length === 0 ? '' : ` match ${filters.join(' and ')}`}`;
  return kind === 'threats' ? none : `${none}; a record is written when its flow ends: see palisade traffic --help`;
};
/** The times of RFC 3339. */
const YEAR_MIN_MS = Date.parse('0001-01-01T00:00:00Z');
const TRAFFIC_LOGS_ON =
  'set trafficLogs: true in its program, or create it with gcloud ids endpoints create --enable-traffic-logs';

/** RFC 3339 text of `--since`. Throws UsageError. */
export const parseSince = (text: string, nowMs: number): string => {
  const age = /^(\d+)([smhd])$/.exec(text);
  const isTime = /^\d{4}-\d\d-\d\d/.test(text);
  const at =
    age !== null ? nowMs - Number(age[1]) * (UNIT_MS[age[2] ?? ''] ?? 0) : isTime ? Date.parse(text) : Number.NaN;
  if (at >= YEAR_MIN_MS) return new Date(at).toISOString();
  const tooOld = age === null ? '' : 'is before the year 1: ';
  throw new UsageError(`--since ${text}: ${tooOld}give a time such as 2026-01-31T12:00:00Z or an age such as 10m`);
};

async function* allPages<K extends RecordKind>(
  client: IdsClient,
  name: string,
  kind: K,
  query: {filter?: string},
): AsyncGenerator<RecordOf<K>> {
  for (let pageToken = ''; ; ) {
    const page = await client.listRecords(name, kind, {
      ...query,
      pageSize: PAGE,
      ...(pageToken === '' ? {} : {pageToken}),
    });
    yield* page.records;
    pageToken = page.nextPageToken;
    if (pageToken === '') return;
  }
}

/**
 * Both of them. AND binds less than all else in AIP-160, so the user's text comes first and unchanged: the positions
 * in the server's messages are those of the user. Throws UsageError.
 */
export const toFilter = (filter: string | undefined, term: string | undefined): string | undefined => {
  if (filter === undefined || filter.trim() === '' || term === undefined) return term ?? filter;
  try {
    parseFilter(filter); // what it leaves open would swallow the term
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    throw new UsageError(`--filter: ${error.message}`, {cause: error});
  }
  return `${filter} AND ${term}`;
};

/** An id that `-` stands for, or a part of the name before it. */
const isOfSeveral = (name: string): boolean => name.split('/').includes('-');

/** Full names of those that a name with `-` stands for; none when the caller may not list them. */
const endpointsOf = async (client: IdsClient, name: string): Promise<string[]> => {
  const names: string[] = [];
  try {
    for await (const endpoint of allEndpoints(client, name.replace(/\/endpoints\/[^/]+$/, '')))
      if (endpoint.name !== undefined) names.push(endpoint.name);
  } catch (error) {
    if (!isIdsError(error, 'PERMISSION_DENIED')) throw error;
  }
  return names;
};

/** Why there are no traffic logs: they are switched off. Undefined: they are reported, or it is not known. */
const notReported = async (client: IdsClient, name: string): Promise<string | undefined> => {
  try {
    const {trafficLogs = false} = await client.getEndpoint(name);
    return trafficLogs ? undefined : `${name} does not report traffic logs: ${TRAFFIC_LOGS_ON}`;
  } catch (error) {
    if (isIdsError(error)) return undefined; // it is gone, or the caller may read its records only
    throw error;
  }
};

const realClock: Clock = {now: monotonicClock.now, sleep: (ms, signal) => sleep(ms, undefined, {signal})};

/** Reconnects at the end of a stream, with a note on stderr. */
const followed = <K extends RecordKind>(
  client: IdsClient,
  name: string,
  kind: K,
  query: {filter?: string},
  {stderr, clock}: CliIo & {readonly clock: Clock},
): AsyncGenerator<RecordOf<K>> =>
  keepFollowing(client, name, kind, query, {
    clock,
    awayMsMax: AWAY_MS_MAX,
    signal: new AbortController().signal,
    onLost: why => stderr.write(`palisade: ${why}; retrying for up to ${AWAY_MS_MAX / 1000} s\n`),
    onBack: () => stderr.write('palisade: the server is back; continuing after the last record\n'),
  });

/** `clock`: of the pauses while the server is away. */
export const runRecords = async (
  kind: RecordKind,
  words: readonly string[],
  io: CliIo,
  clock = realClock,
): Promise<number> => {
  const flags = parseOptions(words, options).options;
  const since = flags.since === undefined ? undefined : parseSince(flags.since, systemClock.now());
  const timeField = kind === 'threats' ? 'alert_time' : 'start_time';
  const filter = toFilter(flags.filter, since === undefined ? undefined : `${timeField}>="${since}"`);
  const query = filter === undefined ? {} : {filter};
  const filters = (['filter', 'since'] as const).flatMap(name => (flags[name] === undefined ? [] : `--${name}`));
  return withIdsClient(flags, io, async client => {
    const name =
      flags.endpoint === undefined
        ? `${EVERYWHERE}/endpoints/-`
        : await resolveEndpoint(client, flags.endpoint, {mayBeGone: true});
    const several = isOfSeveral(name);
    const listed = several && !flags.json ? await endpointsOf(client, name) : [];
    const label = several ? endpointLabels(listed) : undefined;
    const {head, row} = recordTable(kind, label);
    const hint = kind === 'traffic' && !several ? await notReported(client, name) : undefined;
    if (flags.follow && hint !== undefined) io.stderr.write(`palisade: ${hint}\n`);
    const records = flags.follow
      ? followed(client, name, kind, query, {...io, clock})
      : allPages(client, name, kind, query);
    let count = 0;
    for await (const record of records) {
      if (count++ === 0 && !flags.json) io.stdout.write(head);
      io.stdout.write(flags.json ? `${JSON.stringify(record)}\n` : row(record));
    }
    if (count > 0) return EXIT.ok;
    if (hint !== undefined) io.stderr.write(`palisade: ${hint}\n`);
    else if (!flags.json) io.stderr.write(`palisade: ${noRecords(kind, filters)}\n`);
    return EXIT.ok;
  });
};

const FOLLOW_NOTE = `--follow reconnects when a stream ends, and continues after the last record: no record is printed twice. The command
fails if the server is away for more than ${AWAY_MS_MAX / 1000} s, or if the permission is missing or removed.`;

const command = (kind: RecordKind, summary: string, notes: readonly string[]): Command => ({
  name: kind,
  summary,
  group: 'ids',
  usage: `[--endpoint NAME] [--since T] [--filter F] [--follow] [--json]`,
  notes: [...notes, ...FOLLOW_NOTE.split('\n')],
  options,
  examples: [
    `palisade ${kind} --endpoint guard --since 10m`,
    `palisade ${kind} --endpoint projects/p/locations/-/endpoints/-`,
    `palisade ${kind} --follow --json`,
    ...(kind === 'threats' ? ['palisade threats --filter alert_severity=CRITICAL'] : []),
  ],
  run: (words, io) => runRecords(kind, words, io),
});

export const threats = command('threats', 'print threat logs of IDS endpoints', []);
export const traffic = command('traffic', 'print traffic logs of IDS endpoints that report them', [
  'A record is written when its flow ends: TCP 3 s after close or 600 s after the last packet, UDP and ICMP 60 s after the last',
  'packet, plus up to a minute. Open flows are written when the endpoint or the server stops.',
]);
