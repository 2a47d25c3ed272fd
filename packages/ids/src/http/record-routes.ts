// SPDX-License-Identifier: Apache-2.0
/**
 * `GET /v1/{endpoint}/threats` and `/traffic`. Ours; Cloud IDS has them in Cloud Logging only.
 *
 *   filter, orderBy, pageSize, pageToken   as in every list; fields by their record names (`alert_severity>=HIGH`)
 *   since, until                           RFC 3339; records from then on, and before then
 *   format                                 json (default): {"threats": […], "nextPageToken"} · logentry: {"entries": […], …}
 *                                          ndjson, csv: all that match, streamed; pageSize bounds their number
 *   follow                                 NDJSON that stays open: records as they come; with since (or a time in the filter) those
 *                                          that are stored first. With format=logentry each line is a LogEntry.
 *   updates                                with follow: a record again whenever its repeat_count grows
 *   cursors                                with follow: a line {"cursor": "…"} after each batch
 *   cursor                                 with follow: go on exactly after that line; when the data is not that of the line any more, with
 *                                          what was made since
 */
import type {OpenRights} from '@palisade/apiserver';
import {
  type AnyRecord,
  csvHeader,
  FilterError,
  lowerTimeBound,
  type RecordKind,
  selectFields,
  toCsvLine,
} from '@palisade/ids-wire';
import {listRecords, matchingRecords, parseRecordRequest, type RecordRequest} from '../records/list-records.ts';
import {recordScope, timeParameter} from '../records/record-query.ts';
import type {RecordSelection, RecordStore} from '../records/record-store.ts';
import {checkRight} from '../records/right-check.ts';
import {invalidArgument} from '../rpc-error.ts';
import type {StreamHub} from '../stream-hub.ts';
import type {Timers} from '../system.ts';
import {sendJson} from './answer.ts';
import {LIST_PARAMETERS, listRequestOf} from './endpoint-routes.ts';
import {streamFollow} from './follow-stream.ts';
import {isOn} from './query.ts';
import {FORMATS, type RecordFormat, toItem} from './record-format.ts';
import {type Call, pathPattern, type Route} from './routes.ts';
import {writeAll} from './stream.ts';

const PARAMETERS = [...LIST_PARAMETERS, 'since', 'until', 'format', 'follow', 'updates', 'cursors', 'cursor'];
const TIME_FIELDS = ['alert_time', 'alertTime', 'start_time', 'startTime'];

const formatOf = (call: Call): RecordFormat => {
  const text = call.query.get('format') ?? 'json';
  const format = FORMATS.find(f => f === text);
  if (format !== undefined) return format;
  throw invalidArgument([{field: 'format', description: `"${text}" is not one of ${FORMATS.join(', ')}`}]);
};

/** `since`, or the time that the filter begins at: reading may start there. */
const startOf = (call: Call, filter: string): number | undefined => {
  const since = timeParameter('since', call.query.get('since'));
  try {
    const bound = lowerTimeBound(filter, TIME_FIELDS);
    return since === undefined || bound === undefined ? (since ?? bound) : Math.max(since, bound);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    return since; // reported with the request's other faults
  }
};

type Streams = {readonly hub: StreamHub; readonly rights: OpenRights; readonly timers: Timers};

const handleRecords = async (records: RecordStore, streams: Streams, kind: RecordKind, call: Call): Promise<void> => {
  const name = await recordScope({service: call.service, records}, call.caller, call.name, kind);
  const list = listRequestOf(call.query);
  const untilMs = timeParameter('until', call.query.get('until'));
  const request: RecordRequest = {...list, sinceMs: startOf(call, list.filter), untilMs};
  const format = formatOf(call);
  const query = parseRecordRequest(kind, call.name, request);
  const selection = {kind, name, sinceMs: request.sinceMs, untilMs, filter: list.filter};
  if (isOn(call.query.get('follow'))) return streamFollow({...streams, call, records, format, selection});
  if (format === 'csv' || format === 'ndjson')
    return exportRecords(call, records, {...streams, format, request, selection});
  const page = await listRecords(records, selection, request, query);
  const items = page.records.map(stored => toItem(kind, format, stored));
  sendJson(call.response, call.query, {
    ...(items.length > 0 ? {[format === 'logentry' ? 'entries' : kind]: items} : {}),
    ...(page.nextPageToken === '' ? {} : {nextPageToken: page.nextPageToken}),
  });
};

type Export = Pick<Streams, 'rights'> & {
  readonly format: 'csv' | 'ndjson';
  readonly request: RecordRequest;
  readonly selection: RecordSelection;
};

const exportRecords = async (call: Call, records: RecordStore, options: Export): Promise<void> => {
  const {rights, format, request, selection} = options;
  const {kind} = selection;
  if (request.orderBy !== '' || request.pageToken !== '') {
    const description = `is supported with format=json only; ${format} returns all matching records, oldest first`;
    throw invalidArgument([{field: request.orderBy === '' ? 'pageToken' : 'orderBy', description}]);
  }
  const max = request.pageSize === 0 ? Number.POSITIVE_INFINITY : request.pageSize;
  const {selection: fields} = call.query;
  const lines = async function* (): AsyncGenerator<string> {
    if (format === 'csv') yield csvHeader(kind);
    let count = 0;
    for await (const page of matchingRecords(records, selection)) {
      const reason = right.lost();
      if (reason !== undefined) throw reason;
      const given = page.slice(0, max - count);
      count += given.length;
      yield given.map(stored => lineOf(toItem(kind, format, stored), kind, format, fields)).join('');
      if (count >= max) return;
    }
  };
  const type = format === 'csv' ? 'text/csv; charset=UTF-8; header=present' : 'application/x-ndjson; charset=UTF-8';
  const right = checkRight(rights, {caller: call.caller, name: call.name, kind}, () => {});
  try {
    await writeAll(call.response, type, lines());
  } finally {
    right.cancel();
  }
};

const lineOf = (
  item: object,
  kind: RecordKind,
  format: 'csv' | 'ndjson',
  fields: Call['query']['selection'],
): string => {
  if (format === 'csv') return toCsvLine(kind, item as AnyRecord);
  return `${JSON.stringify(fields === undefined ? item : selectFields(item, fields))}\n`;
};

/** `records` and `streams` are shared by all requests. */
export const recordRoutes = (records: RecordStore, streams: Streams): readonly Route[] =>
  (['threats', 'traffic'] as const).map(kind => ({
    method: 'GET',
    path: pathPattern(`projects/*/locations/*/endpoints/*/${kind}`, 6),
    parameters: PARAMETERS,
    work: ({query}) => (isOn(query.get('follow')) ? 'long-running' : 'search'),
    handle: call => handleRecords(records, streams, kind, call),
  }));
