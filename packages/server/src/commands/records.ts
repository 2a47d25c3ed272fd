// SPDX-License-Identifier: Apache-2.0
/** `palisade threats` and `palisade traffic`: the records of one endpoint or of all, as rows or as JSON lines, once or followed. */
import {type IdsClient, isTransportError, type RecordKind, type RecordOf} from '@palisade/client';
import {FilterError, parseFilter, type ThreatRecord, type TrafficRecord} from '@palisade/wire/ids';
import type {Command} from '../cli/command.ts';
import {type CliIo, EXIT, UsageError} from '../cli/io.ts';
import {type OptionTable, parseOptions} from '../cli/options.ts';
import {systemClock} from '../run/system.ts';
import {connectionOptions, EVERYWHERE, resolveEndpoint, withIdsClient} from './connection.ts';

const options = {
  endpoint: {
    type: 'string',
    value: 'NAME',
    doc: 'Full resource name, or the id where it is unique (default: all endpoints).',
  },
  since: {type: 'string', value: 'T', doc: 'RFC 3339 time, or an age such as 30s, 10m, 2h, 7d.'},
  filter: {type: 'string', value: 'F', doc: 'AIP-160 filter over the fields that --json shows.'},
  follow: {type: 'boolean', short: 'f', doc: 'Stay and print new records as they come.'},
  ...connectionOptions,
} as const satisfies OptionTable;

const UNIT_MS: Readonly<Record<string, number>> = {s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000};
const PAGE = 500;

/** RFC 3339 text of `--since`. Throws UsageError. */
export const parseSince = (text: string, nowMs: number): string => {
  const age = /^(\d+)([smhd])$/.exec(text);
  if (age !== null) return new Date(nowMs - Number(age[1]) * (UNIT_MS[age[2] ?? ''] ?? 0)).toISOString();
  const at = Date.parse(text);
  if (Number.isNaN(at) || !/^\d{4}-\d\d-\d\d/.test(text))
    throw new UsageError(`--since ${text}: give a time such as 2026-01-31T12:00:00Z or an age such as 10m`);
  return new Date(at).toISOString();
};

const host = (ip: string, port: string): string =>
  port === '' || port === '0' ? ip : ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;

type Row = readonly (readonly [text: string, width: number])[];

const threatRow = (t: ThreatRecord): Row => [
  [t.alert_time, 22],
  [t.alert_severity, 14],
  [t.threat_id, 12],
  [`x${t.repeat_count}`, 6],
  [
    `${t.ip_protocol} ${host(t.source_ip_address, t.source_port)} > ${host(t.destination_ip_address, t.destination_port)}`,
    46,
  ],
  [t.name, 0],
];
const trafficRow = (t: TrafficRecord): Row => [
  [t.start_time, 22],
  [`${t.elapsed_time}s`, 7],
  [t.application, 12],
  [`${t.total_packets} pkts`, 12],
  [`${t.total_bytes} B`, 14],
  [
    `${t.ip_protocol} ${host(t.source_ip_address, t.source_port)} > ${host(t.destination_ip_address, t.destination_port)}`,
    0,
  ],
];
const HEADS: Readonly<Record<RecordKind, Row>> = {
  threats: [
    ['TIME', 22],
    ['SEVERITY', 14],
    ['THREAT ID', 12],
    ['TIMES', 6],
    ['CONNECTION', 46],
    ['NAME', 0],
  ],
  traffic: [
    ['START', 22],
    ['TIME', 7],
    ['APPLICATION', 12],
    ['PACKETS', 12],
    ['BYTES', 14],
    ['CONNECTION', 0],
  ],
};
const line = (row: Row): string =>
  `${row
    .map(([text, width]) => text.padEnd(width))
    .join('')
    .trimEnd()}\n`;

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
 * Both of them. AND binds less than all else in AIP-160, so the user's text stands first and as it was written: the positions
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

const run = async (kind: RecordKind, words: readonly string[], io: CliIo): Promise<number> => {
  const flags = parseOptions(words, options).options;
  const since = flags.since === undefined ? undefined : parseSince(flags.since, systemClock.now());
  const timeField = kind === 'threats' ? 'alert_time' : 'start_time';
  const filter = toFilter(flags.filter, since === undefined ? undefined : `${timeField}>="${since}"`);
  const query = filter === undefined ? {} : {filter};
  return withIdsClient(flags, io, async client => {
    const name =
      flags.endpoint === undefined ? `${EVERYWHERE}/endpoints/-` : await resolveEndpoint(client, flags.endpoint);
    const records = flags.follow ? client.followRecords(name, kind, query) : allPages(client, name, kind, query);
    let count = 0;
    try {
      for await (const record of records) {
        if (count++ === 0 && !flags.json) io.stdout.write(line(HEADS[kind]));
        const row = kind === 'threats' ? threatRow(record as ThreatRecord) : trafficRow(record as TrafficRecord);
        io.stdout.write(flags.json ? `${JSON.stringify(record)}\n` : line(row));
      }
    } catch (error) {
      if (flags.follow && isTransportError(error) && error.code === 'broken')
        io.stderr.write(`palisade: the server ended the stream\n`);
      else throw error;
    }
    if (count === 0 && !flags.json) io.stderr.write(`palisade: no ${kind === 'threats' ? 'threat' : 'traffic'} logs\n`);
    return EXIT.ok;
  });
};

const command = (kind: RecordKind, summary: string): Command => ({
  name: kind,
  summary,
  usage: `palisade ${kind} [--endpoint NAME] [--since T] [--filter F] [--follow] [--json]`,
  options,
  examples: [
    `palisade ${kind} --endpoint guard --since 10m`,
    `palisade ${kind} --follow --json`,
    ...(kind === 'threats' ? ['palisade threats --filter alert_severity=CRITICAL'] : []),
  ],
  run: (words, io) => run(kind, words, io),
});

export const threats = command('threats', 'threat logs of IDS endpoints');
export const traffic = command('traffic', 'traffic logs of IDS endpoints that report them');
