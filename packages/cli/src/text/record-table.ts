// SPDX-License-Identifier: Apache-2.0
/** Threat and traffic records as the rows of a table. */
import {parseEndpointName, type RecordKind, type RecordOf} from '@palisade/client';

type Column<R> = readonly [head: string, width: number, text: (record: R) => string];

const host = (ip: string, port: string): string =>
  port === '' || port === '0' ? ip : ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;

const connection = (r: RecordOf<RecordKind>): string =>
  `${r.ip_protocol} ${host(r.source_ip_address, r.source_port)} > ${host(r.destination_ip_address, r.destination_port)}`;

const COLUMNS: {readonly [K in RecordKind]: readonly Column<RecordOf<K>>[]} = {
  threats: [
    ['TIME', 22, t => t.alert_time],
    ['SEVERITY', 14, t => t.alert_severity],
    ['THREAT ID', 12, t => t.threat_id],
    ['TIMES', 6, t => `x${t.repeat_count}`],
    ['CONNECTION', 46, connection],
    ['NAME', 0, t => t.name],
  ],
  traffic: [
    ['START', 22, t => t.start_time],
    ['TIME', 7, t => `${t.elapsed_time}s`],
    ['APPLICATION', 12, t => t.application],
    ['PACKETS', 12, t => `${t.total_packets} pkts`],
    ['BYTES', 14, t => `${t.total_bytes} B`],
    ['CONNECTION', 0, connection],
  ],
};
const ENDPOINT_WIDTH = 18;

/** Columns that a text is too long for move on, with two blanks between. */
const line = (cells: readonly (readonly [text: string, width: number])[]): string =>
  `${cells
    .map(([text, width]) => (text.length < width ? text.padEnd(width) : `${text}  `))
    .join('')
    .trimEnd()}\n`;

/**
 * How rows name endpoints: by the id, in full where several have it. `known`: full names of those that there are; one that is met
 * besides (it was deleted) has its id when no other has it.
 */
export const endpointLabels = (known: readonly string[]): ((name: string) => string) => {
  const idOf = (name: string): string => parseEndpointName(name)?.endpointId ?? name;
  /** Full name by id; '' when several have it. */
  const holders = new Map<string, string>();
  for (const name of known) holders.set(idOf(name), holders.has(idOf(name)) ? '' : name);
  return name => {
    const id = idOf(name);
    const holder = holders.get(id) ?? name;
    holders.set(id, holder);
    return holder === name ? id : name;
  };
};

export type RecordTable<K extends RecordKind> = {
  readonly head: string;
  readonly row: (record: RecordOf<K>) => string;
};

/** `label`: how rows name their endpoints; undefined when all are of one. */
export const recordTable = <K extends RecordKind>(
  kind: K,
  label: ((name: string) => string) | undefined,
): RecordTable<K> => {
  const [time, ...rest] = COLUMNS[kind];
  const endpoint: Column<RecordOf<K>>[] =
    label === undefined ? [] : [['ENDPOINT', ENDPOINT_WIDTH, record => label(record.endpoint)]];
  const columns: Column<RecordOf<K>>[] = [...(time === undefined ? [] : [time]), ...endpoint, ...rest];
  return {
    head: line(columns.map(([head, width]) => [head, width])),
    row: record => line(columns.map(([, width, text]) => [text(record), width])),
  };
};
