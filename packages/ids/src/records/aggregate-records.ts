// SPDX-License-Identifier: Apache-2.0
/** Sums over records: a request as it came → what the store is asked, with every fault at once; and the answer as a message. */
import {
  AGGREGATE_GROUPS,
  compileFilter,
  type EndpointName,
  type FieldViolation,
  FilterError,
  formatMicros,
  formatTimestamp,
  parseTimestamp,
  parseWidth,
  type RecordAggregateMessage,
  type RecordKind,
  type RecordSumMessage,
} from '@palisade/ids-wire';
import {GROUPS_DEFAULT, GROUPS_MAX, HISTOGRAM_BARS_MAX} from '../limits.ts';
import {invalidArgument} from '../rpc-error.ts';
import type {
  Aggregate,
  AggregateRequest,
  GroupSum,
  HistogramBar,
  RecordGroup,
  RecordSelection,
  RecordStore,
  RecordSum,
} from './record-store.ts';
import {microsOf, recordSchema} from './select.ts';

export const AGGREGATE_PARAMETERS = ['filter', 'since', 'until', 'histogram', 'groupBy', 'groupsMax'] as const;
export type AggregateParameters = {readonly [P in (typeof AGGREGATE_PARAMETERS)[number]]: string | undefined};

/** Throws INVALID_ARGUMENT that names every fault. */
export const parseAggregate = (kind: RecordKind, name: EndpointName, given: AggregateParameters): AggregateRequest => {
  const violations: FieldViolation[] = [];
  const {filter = '', histogram, groupBy, groupsMax} = given;
  try {
    compileFilter(filter, recordSchema(kind));
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    violations.push({field: 'filter', description: error.message});
  }
  const read = <T>(
    field: keyof AggregateParameters,
    parse: (text: string) => T | undefined,
    is: string,
  ): T | undefined => {
    const text = given[field];
    if (text === undefined || text === '') return undefined;
    const value = parse(text);
    if (value === undefined) violations.push({field, description: `"${text}" is not ${is}`});
    return value;
  };
  const rfc3339 = 'an RFC 3339 time such as 2024-05-27T22:22:32Z';
  const sinceMs = read('since', parseTimestamp, rfc3339);
  const untilMs = read('until', parseTimestamp, rfc3339);
  const histogramMs = read('histogram', parseWidth, 'the width of a bar such as 30s, 5m, 1h or 1d');
  const groups = AGGREGATE_GROUPS[kind];
  const group = read('groupBy', text => groups.find(known => known === text), `one of ${groups.join(', ')}`);
  const max = read('groupsMax', countOf, `a whole number from 1 to ${GROUPS_MAX}`) ?? GROUPS_DEFAULT;
  if (groupsMax !== undefined && groupsMax !== '' && (groupBy === undefined || groupBy === ''))
    violations.push({field: 'groupsMax', description: 'needs groupBy'});
  if (histogram !== undefined && sinceMs !== undefined && untilMs !== undefined && histogramMs !== undefined)
    violations.push(...tooManyBars(sinceMs, untilMs, histogramMs));
  if (violations.length > 0) throw invalidArgument(violations);
  return {kind, name, filter, sinceMs, untilMs, histogramMs, groupBy: group as RecordGroup | undefined, groupsMax: max};
};

const countOf = (text: string): number | undefined => {
  const count = Number(text);
  return /^\d+$/.test(text) && count >= 1 && count <= GROUPS_MAX ? count : undefined;
};

const tooManyBars = (fromMs: number, untilMs: number, widthMs: number): FieldViolation[] => {
  const bars = Math.ceil(untilMs / widthMs) - Math.floor(fromMs / widthMs);
  if (bars <= HISTOGRAM_BARS_MAX) return [];
  const description = `would have ${bars} bars from ${formatTimestamp(fromMs)} to ${formatTimestamp(untilMs)}; at most ${HISTOGRAM_BARS_MAX} are returned: ask for wider bars, or for a shorter time`;
  return [{field: 'histogram', description}];
};

/** Throws INVALID_ARGUMENT for a histogram with more than HISTOGRAM_BARS_MAX bars. */
export const aggregateRecords = async (
  records: RecordStore,
  request: AggregateRequest,
): Promise<RecordAggregateMessage> => {
  const {kind, histogramMs} = request;
  if (histogramMs !== undefined) await assertBars(records, request, histogramMs);
  return toMessage(kind, await records.aggregate(request));
};

/** The oldest and the newest record say how long the histogram is where the request does not; those that the filter leaves where all are too many. */
const assertBars = async (records: RecordStore, request: RecordSelection, widthMs: number): Promise<void> => {
  if ((await barFaults(records, {...request, filter: ''}, widthMs)).length === 0) return;
  const violations = await barFaults(records, request, widthMs);
  if (violations.length > 0) throw invalidArgument(violations);
};

const barFaults = async (
  records: RecordStore,
  {kind, name, sinceMs, untilMs, filter}: RecordSelection,
  widthMs: number,
): Promise<readonly FieldViolation[]> => {
  const firstOf = async (orderBy: string): Promise<number | undefined> => {
    const page = await records.page({kind, name, sinceMs, untilMs, filter, orderBy, limit: 1});
    const [first] = page.records;
    return first === undefined ? undefined : microsOf(first.record) / 1000;
  };
  const oldest = await firstOf('');
  const newest = await firstOf('event_time desc');
  if (oldest === undefined || newest === undefined) return [];
  return tooManyBars(oldest, Math.floor(newest / widthMs) * widthMs + widthMs, widthMs);
};

const sumOf = (kind: RecordKind, {records, alerts}: RecordSum): RecordSumMessage =>
  kind === 'threats' ? {records, alerts} : {records};

const toMessage = (kind: RecordKind, {total, histogram, groups, moreGroups}: Aggregate): RecordAggregateMessage => ({
  total: sumOf(kind, total),
  ...(histogram === undefined ? {} : {histogram: histogram.map(bar => barOf(kind, bar))}),
  ...(groups === undefined ? {} : {groups: groups.map(group => groupOf(kind, group))}),
  ...(moreGroups === undefined || moreGroups === 0 ? {} : {moreGroups}),
});

const barOf = (kind: RecordKind, bar: HistogramBar) => ({
  startTime: formatTimestamp(bar.startMs),
  ...sumOf(kind, bar),
  ...(kind === 'threats' ? {severities: bar.classes} : {}),
});

const groupOf = (kind: RecordKind, group: GroupSum) => ({
  key: group.key,
  ...(group.name === undefined ? {} : {name: group.name}),
  ...(group.highestSeverity === undefined ? {} : {highestSeverity: group.highestSeverity}),
  ...sumOf(kind, group),
  ...(kind === 'traffic' ? {bytes: group.bytes ?? 0} : {}),
  firstTime: formatMicros(group.firstMicros),
  lastTime: formatMicros(group.lastMicros),
});
