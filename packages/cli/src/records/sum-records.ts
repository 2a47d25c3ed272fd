// SPDX-License-Identifier: Apache-2.0
/** `palisade threats --histogram` and `--group-by`: sums of records, as text or as the JSON of the API. */
import type {IdsClient, RecordKind} from '@palisade/client';
import {parseWidth, type RecordAggregateMessage} from '@palisade/ids-wire';
import type {CliIo} from '../command-line/io.ts';
import {terminalJson} from '../command-line/terminal-text.ts';
import {groupText, histogramText} from './aggregate-text.ts';
import {AUTO_WIDTH} from './record-flags.ts';

export type SumQuery = {readonly filter?: string; readonly since?: string; readonly until?: string};
export type SumOptions = {
  readonly histogram: string | undefined;
  readonly groupBy: string | undefined;
  readonly limit: number | undefined;
  readonly json: boolean;
  /** How text names endpoints. */
  readonly label: (name: string) => string;
};

/** Bars that fit on a screen. */
const BARS_WANTED = 48;
const WIDTHS = ['1s', '5s', '15s', '1m', '5m', '15m', '1h', '3h', '6h', '12h', '1d', '7d', '30d'];

/** A width that gives at most BARS_WANTED bars from the first to the last record; undefined: no records. */
const chooseWidth = async (
  client: IdsClient,
  name: string,
  kind: RecordKind,
  query: SumQuery,
): Promise<string | undefined> => {
  const timeOf = async (orderBy: string): Promise<number | undefined> => {
    const {records} = await client.listRecords(name, kind, {...query, orderBy, pageSize: 1});
    const [record] = records;
    return record === undefined ? undefined : Date.parse(record.event_time);
  };
  const first = await timeOf('event_time');
  const last = await timeOf('event_time desc');
  if (first === undefined || last === undefined) return undefined;
  return WIDTHS.find(width => (last - first) / (parseWidth(width) ?? 1) < BARS_WANTED) ?? '365d';
};

/** False: there are no such records. */
export const sumRecords = async (
  client: IdsClient,
  name: string,
  kind: RecordKind,
  query: SumQuery,
  options: SumOptions & Pick<CliIo, 'stdout'>,
): Promise<boolean> => {
  const {groupBy, limit, json, stdout} = options;
  const isAuto = options.histogram === AUTO_WIDTH;
  const histogram = isAuto ? ((await chooseWidth(client, name, kind, query)) ?? '1h') : options.histogram;
  const sums = await client.aggregateRecords(name, kind, {
    ...query,
    histogram,
    groupBy,
    ...(groupBy === undefined ? {} : {groupsMax: limit}),
  });
  if (json) stdout.write(`${terminalJson(sums)}\n`);
  else stdout.write(textOf(kind, sums, histogram, options));
  return sums.total.records > 0;
};

const textOf = (
  kind: RecordKind,
  {total, histogram = [], groups = [], moreGroups = 0}: RecordAggregateMessage,
  width: string | undefined,
  {groupBy, label}: SumOptions,
): string => {
  if (total.records === 0) return '';
  const bars = width === undefined ? [] : [histogramText(kind, histogram, parseWidth(width) ?? 0)];
  const table = groupBy === undefined ? [] : [groupText(kind, groupBy, groups, moreGroups, label)];
  return [...bars, ...table].join('\n');
};
