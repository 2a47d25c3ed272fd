// SPDX-License-Identifier: Apache-2.0
/** `palisade threats` and `palisade traffic`: the records of one endpoint or of all, as rows or as JSON lines, once or followed. */
import {type Clock, type IdsClient, isIdsError, keepFollowing, type RecordKind, type RecordOf} from '@palisade/client';
import {FilterError, fieldNames, parseFilter, THREAT_LIST, TRAFFIC_LIST} from '@palisade/ids-wire';
import {systemClock} from '@palisade/server/system';
import type {Command} from '../command-line/command.ts';
import {type CliIo, EXIT, isTerminal, UsageError} from '../command-line/io.ts';
import {parseOptions} from '../command-line/options.ts';
import {realClock} from '../command-line/real-clock.ts';
import {terminalJson} from '../command-line/terminal-text.ts';
import {allEndpoints, EVERYWHERE, resolveEndpoint, withIdsClient} from '../connection/connection.ts';
import {parseLimits, parseTimes, recordFlags, withHistogramWidth} from '../records/record-flags.ts';
import {sumRecords} from '../records/sum-records.ts';
import {endpointLabels, type RecordTable, recordTable} from '../text/record-table.ts';

const PAGE = 500;
/** How long a server may be away from those who follow. */
const AWAY_MS_MAX = 60_000;
/** `filters`: the flags that may have left some out. */
const noRecords = (kind: RecordKind, filters: readonly string[]): string => {
  const none = `no ${kind === 'threats' ? 'threat' : 'traffic'} logs${filters.length === 0 ? '' : ` match ${filters.join(' and ')}`}`;
  return kind === 'threats' ? none : `${none}; a record is written when its flow ends: see palisade traffic --help`;
};
/** Only creation has a flag of gcloud. */
const trafficLogsOn = (server: string, name: string): string =>
  [
    'set trafficLogs: true in its program, or create it with gcloud ids endpoints create --enable-traffic-logs, or switch them on now:',
    `  curl -X PATCH '${server}/v1/${name}?updateMask=trafficLogs' -H 'Content-Type: application/json' -d '{"trafficLogs": true}'`,
    'with tokens or --https see docs/guides/records.md, "Traffic records"',
  ].join('\n');

type Query = {readonly filter?: string; readonly since?: string; readonly until?: string};

/** `limit`: undefined for all. */
async function* allPages<K extends RecordKind>(
  client: IdsClient,
  name: string,
  kind: K,
  {limit = Number.POSITIVE_INFINITY, ...query}: Query & {readonly orderBy?: string; readonly limit?: number},
): AsyncGenerator<RecordOf<K>> {
  let rest = limit;
  for (let pageToken = ''; ; ) {
    const page = await client.listRecords(name, kind, {
      ...query,
      pageSize: Math.min(PAGE, rest),
      ...(pageToken === '' ? {} : {pageToken}),
    });
    yield* page.records;
    rest -= page.records.length;
    pageToken = page.nextPageToken;
    if (pageToken === '' || rest <= 0) return;
  }
}

const NEWEST_FIRST = 'event_time desc';

/** In the order asked for; with a limit the newest ones. */
async function* printed<K extends RecordKind>(
  client: IdsClient,
  name: string,
  kind: K,
  query: Query,
  {order = 'oldest', limit}: {readonly order: string | undefined; readonly limit: number | undefined},
): AsyncGenerator<RecordOf<K>> {
  if (order === 'oldest' && limit === undefined) return yield* allPages(client, name, kind, query);
  const newest = allPages(client, name, kind, {
    ...query,
    orderBy: NEWEST_FIRST,
    ...(limit === undefined ? {} : {limit}),
  });
  if (order === 'newest') return yield* newest;
  const records: RecordOf<K>[] = [];
  for await (const record of newest) records.push(record);
  yield* records.reverse();
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
    return trafficLogs ? undefined : `${name} does not report traffic logs: ${trafficLogsOn(client.server, name)}`;
  } catch (error) {
    if (isIdsError(error)) return undefined; // it is gone, or the caller may read its records only
    throw error;
  }
};

/** Reconnects at the end of a stream, with a note on stderr. */
const followed = <K extends RecordKind>(
  client: IdsClient,
  name: string,
  kind: K,
  query: Query,
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
  const flags = parseOptions(withHistogramWidth(words), recordFlags(kind)).options;
  const {limit} = parseLimits(flags);
  const query: Query = {
    ...(flags.filter === undefined ? {} : {filter: flags.filter}),
    ...parseTimes(flags, systemClock.now()),
  };
  const filters = (['filter', 'since', 'until'] as const).flatMap(name =>
    flags[name] === undefined ? [] : [`--${name}`],
  );
  return withIdsClient(flags, io, async client => {
    const name =
      flags.endpoint === undefined
        ? `${EVERYWHERE}/endpoints/-`
        : await resolveEndpoint(client, flags.endpoint, {mayBeGone: true});
    const several = isOfSeveral(name);
    const listed = several && !flags.json ? await endpointsOf(client, name) : [];
    const label = endpointLabels(several ? listed : [name]);
    const hint = kind === 'traffic' && !several ? await notReported(client, name) : undefined;
    if (flags.follow && hint !== undefined) io.stderr.write(`palisade: ${hint}\n`);
    const {histogram, 'group-by': groupBy, json, order} = flags;
    const isSum = histogram !== undefined || groupBy !== undefined;
    const isAny = isSum
      ? await sumRecords(client, name, kind, query, {histogram, groupBy, limit, json, label, stdout: io.stdout})
      : await printRecords(
          notingSample(
            flags.follow
              ? followed(client, name, kind, query, {...io, clock})
              : printed(client, name, kind, query, {order, limit}),
            {stderr: io.stderr, json},
          ),
          json ? undefined : recordTable(kind, label, columnsOf(io.stdout)),
          io.stdout,
        );
    if (isAny) return EXIT.ok;
    if (hint !== undefined) io.stderr.write(`palisade: ${hint}\n`);
    else if (!json) io.stderr.write(`palisade: ${noRecords(kind, filters)}\n`);
    return EXIT.ok;
  });
};

/** Of a terminal; undefined for a file or a pipe. */
const columnsOf = (stream: NodeJS.WritableStream): number | undefined =>
  isTerminal(stream) && 'columns' in stream && typeof stream.columns === 'number' ? stream.columns : undefined;

/** Figures of a sample are not those of all flows: said once. */
async function* notingSample<R extends RecordOf<RecordKind>>(
  records: AsyncIterable<R>,
  {stderr, json}: Pick<CliIo, 'stderr'> & {readonly json: boolean},
): AsyncGenerator<R> {
  let isNoted = json; // each line says it
  for await (const record of records) {
    const {sample_rate: rate} = record as Partial<RecordOf<'traffic'>>;
    if (rate !== undefined && !isNoted) stderr.write(`palisade: a sample: 1 of ${rate} flows is recorded\n`);
    isNoted ||= rate !== undefined;
    yield record;
  }
}

/** `table`: undefined for lines of JSON. False: there are no records. */
const printRecords = async <K extends RecordKind>(
  records: AsyncIterable<RecordOf<K>>,
  table: RecordTable<K> | undefined,
  stdout: NodeJS.WritableStream,
): Promise<boolean> => {
  let isAny = false;
  for await (const record of records) {
    if (!isAny && table !== undefined) stdout.write(table.head);
    isAny = true;
    stdout.write(table === undefined ? `${terminalJson(record)}\n` : table.row(record));
  }
  return isAny;
};

const FOLLOW_NOTE = `--follow reconnects when a stream ends, and continues after the last record: no record is printed twice. The command
fails if the server is away for more than ${AWAY_MS_MAX / 1000} s, or if the permission is missing or removed.`;

const NOTE_WIDTH = 128;

/** `Fields of --filter: a, b, …` in lines. */
const fieldNotes = (kind: RecordKind): readonly string[] => {
  const names = kind === 'threats' ? fieldNames(THREAT_LIST) : fieldNames(TRAFFIC_LIST);
  const lines: string[] = [];
  for (const word of `Fields of --filter: ${names.join(', ')}.`.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= NOTE_WIDTH) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
};

const command = (kind: RecordKind, summary: string, notes: readonly string[]): Command => ({
  name: kind,
  summary,
  group: 'ids',
  usage:
    '[--endpoint NAME] [--since T] [--until T] [--filter F] [--histogram [WIDTH]] [--group-by FIELD] [--follow] [--json]',
  notes: [...notes, ...FOLLOW_NOTE.split('\n'), ...fieldNotes(kind)],
  options: recordFlags(kind),
  examples: [
    `palisade ${kind} --endpoint guard --since 10m`,
    `palisade ${kind} --endpoint projects/p/locations/-/endpoints/-`,
    `palisade ${kind} --follow --json`,
    ...(kind === 'threats'
      ? [
          'palisade threats --filter alert_severity=CRITICAL --limit 20',
          'palisade threats --filter source_ip_address=10.0.0.0/8 --group-by threat',
        ]
      : ['palisade traffic --group-by destination --since 1d']),
    `palisade ${kind} --since 1d --histogram 1h`,
  ],
  run: (words, io) => runRecords(kind, words, io),
});

export const threats = command('threats', 'print threat logs of IDS endpoints', []);
export const traffic = command('traffic', 'print traffic logs of IDS endpoints that report them', [
  'A record is written when its flow ends: TCP 3 s after close or 600 s after the last packet, UDP and ICMP 60 s after the last',
  'packet, plus up to a minute. Open flows are written when the endpoint or the server stops.',
]);
