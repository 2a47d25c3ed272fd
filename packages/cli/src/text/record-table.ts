// SPDX-License-Identifier: Apache-2.0
/** Threat and traffic records as the rows of a table. */
import {parseEndpointName, type RecordKind, type RecordOf} from '@palisade/client';
import {terminalCell} from '../command-line/terminal-text.ts';
import {streamRow} from './table.ts';

type Column<R> = readonly [head: string, width: number, text: (record: R) => string];

const host = (ip: string, port: string): string =>
  port === '' || port === '0' ? ip : ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;

const connection = (r: RecordOf<RecordKind>): string =>
  `${r.ip_protocol} ${host(r.source_ip_address, r.source_port)} > ${host(r.destination_ip_address, r.destination_port)}`;

/** What somebody decided: `ack`, `esc`, both, or `-`. */
const stateOf = ({acknowledged, escalated}: RecordOf<'threats'>): string =>
  [...(escalated ? ['esc'] : []), ...(acknowledged ? ['ack'] : [])].join('+') || '-';

type Label = (name: string) => string;

/** `second`: what goes into a second line on a terminal that is too narrow for one. */
type Columns<R> = {
  readonly first: readonly Column<R>[];
  readonly second: readonly Column<R>[];
  readonly last: readonly Column<R>[];
};

const TIME_WIDTH = 29;
const columnsOf = (label: Label): {readonly [K in RecordKind]: Columns<RecordOf<K>>} => ({
  threats: {
    first: [
      ['TIME', TIME_WIDTH, t => t.event_time],
      ['SEVERITY', 15, t => t.alert_severity],
      ['THREAT ID', 12, t => t.threat_id],
      ['TIMES', 7, t => `x${t.repeat_count}`],
      ['STATE', 9, stateOf],
    ],
    second: [
      ['CONNECTION', 48, connection],
      ['ENDPOINT', 18, t => label(t.endpoint)],
      ['SESSION', 18, t => t.session_id],
      ['ID', 33, t => t.id],
    ],
    last: [['NAME', 0, t => t.name]],
  },
  traffic: {
    first: [
      ['START', TIME_WIDTH, t => t.event_time],
      ['TIME', 8, t => `${t.elapsed_time}s`],
      ['APPLICATION', 13, t => t.application],
      ['PACKETS', 13, t => `${t.total_packets} pkts`],
      ['BYTES', 15, t => `${t.total_bytes} B`],
    ],
    second: [
      ['ENDPOINT', 18, t => label(t.endpoint)],
      ['SESSION', 18, t => t.session_id],
      ['ID', 33, t => t.id],
    ],
    last: [['CONNECTION', 0, connection]],
  },
});
/** Terminals from there on have a record in one line, as have files and pipes. */
const ONE_LINE_COLUMNS = 220;
const INDENT = '  ';

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

/** `label`: how rows name their endpoints. `columns`: of the terminal; undefined for a file or a pipe. */
export const recordTable = <K extends RecordKind>(kind: K, label: Label, columns?: number): RecordTable<K> => {
  const {first, second, last}: Columns<RecordOf<K>> = columnsOf(label)[kind];
  const lines =
    (columns ?? ONE_LINE_COLUMNS) >= ONE_LINE_COLUMNS
      ? [[...first, ...second, ...last]]
      : [[...first, ...last], second];
  const text = (cellOf: (column: Column<RecordOf<K>>) => string): string =>
    lines
      .map(
        (cells, i) =>
          `${i === 0 ? '' : INDENT}${streamRow(cells.map(column => [terminalCell(cellOf(column)), column[1]]))}`,
      )
      .join('');
  return {head: text(([head]) => head), row: record => text(([, , textOf]) => textOf(record))};
};
