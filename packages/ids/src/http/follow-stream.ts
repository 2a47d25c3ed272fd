// SPDX-License-Identifier: Apache-2.0
/**
 * `?follow=1`: NDJSON that stays open until the reader goes, the server stops, or the caller loses the permission: then its last line is
 * `{"error": …}`, as the body of a refused request.
 */
import {cutOff, isAdministrator, isGone, type OpenRights} from '@palisade/apiserver';
import {decodePageToken, encodePageToken, selectFields} from '@palisade/ids-wire';
import {FOLLOW_END_MS, FOLLOW_HEARTBEAT_MS} from '../limits.ts';
import {type FollowCursor, followRecords} from '../records/follow-records.ts';
import type {RecordSelection, RecordStore} from '../records/record-store.ts';
import {checkRight} from '../records/right-check.ts';
import {invalidArgument, type RpcError} from '../rpc-error.ts';
import type {StreamHub} from '../stream-hub.ts';
import {type Timers, unlessAborted} from '../system.ts';
import {errorJson} from './answer.ts';
import {isOn} from './query.ts';
import {type RecordFormat, toItem} from './record-format.ts';
import type {Call} from './routes.ts';
import {openStream, writeChunk} from './stream.ts';

export type FollowRequest = {
  readonly call: Call;
  readonly records: RecordStore;
  readonly hub: StreamHub;
  readonly rights: OpenRights;
  readonly timers: Timers;
  readonly format: RecordFormat;
  readonly selection: RecordSelection;
};

const CURSOR = 'cursor';

type CursorPosition = readonly [history: string, sequence: number, timeMs: number];

const isCount = (value: unknown, max: number): boolean =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= max;

/** A time whose year has four digits. */
const TIME_MS_MAX = 253_402_300_799_999;

/** The check sum of a token is no secret: anybody can make one of anything. */
const isPosition = (value: unknown): value is CursorPosition => {
  if (!Array.isArray(value) || value.length !== 3) return false;
  const [history, sequence, timeMs] = value;
  return typeof history === 'string' && isCount(sequence, Number.MAX_SAFE_INTEGER) && isCount(timeMs, TIME_MS_MAX);
};

/** A cursor of a version whose records had no history of their own says when it was given. */
type OldPosition = readonly [revision: string, timeMs: number];

const isOldPosition = (value: unknown): value is OldPosition => {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [revision, timeMs] = value;
  return typeof revision === 'string' && /^\d{1,20}$/.test(revision) && isCount(timeMs, TIME_MS_MAX);
};

/** Of no store. */
const OLD_HISTORY = '';

const toPosition = ({history, sequence, timeMs}: FollowCursor): CursorPosition => [history, sequence, timeMs];

const cursorOf = ({call, selection}: FollowRequest): FollowCursor | undefined => {
  const text = call.query.get('cursor') ?? '';
  if (text === '') return undefined;
  const position = decodePageToken([CURSOR, selection.kind, call.name], text);
  if (isOldPosition(position)) return {history: OLD_HISTORY, sequence: 0, timeMs: position[1]};
  if (!isPosition(position)) throw invalidArgument([{field: 'cursor', description: 'is not a cursor of this stream'}]);
  const [history, sequence, timeMs] = position;
  return {history, sequence, timeMs};
};

export const streamFollow = async (request: FollowRequest): Promise<void> => {
  const {call, records, hub, format, selection} = request;
  const {kind} = selection;
  if (format === 'csv')
    throw invalidArgument([{field: 'format', description: 'csv cannot be followed; use ndjson or logentry'}]);
  const cursor = cursorOf(request);
  const withCursors = isOn(call.query.get('cursors'));
  const updates = isOn(call.query.get('updates'));
  const stream = hub.open(call.caller.actingName, isAdministrator(call.caller.requestor));
  call.response.on('close', stream.close);
  try {
    openStream(call.response, 'application/x-ndjson; charset=UTF-8');
  } catch (error) {
    stream.close(); // a response that closed before does not close again
    throw error;
  }
  const beat = heartbeat(request);
  const {caller, name} = call;
  const right = checkRight(request.rights, {caller, name, kind}, stream.close);
  try {
    const {clock} = call.service;
    const options = {selection, cursor, clock, updates, signal: stream.signal};
    for await (const batch of followRecords(records, options)) {
      const lines = batch.records.map(stored => lineOf(request, toItem(kind, format, stored)));
      if (withCursors && batch.cursor !== undefined) {
        const token = encodePageToken([CURSOR, kind, call.name], toPosition(batch.cursor));
        lines.push(`${JSON.stringify({cursor: token})}\n`);
      }
      // The first batch is empty and shows the reader that the stream is open.
      const written = writeChunk(call.response, lines.length === 0 ? '\n' : lines.join(''));
      if ((await unlessAborted(written, stream.signal)) !== true) return;
    }
  } finally {
    beat.cancel();
    right.cancel();
    stream.close();
    const reason = right.lost();
    if (reason === undefined) call.response.end();
    else endWith(request, reason);
  }
};

/** The reader is given a while for what waits for it, then the answer is cut off. */
const endWith = ({call, timers}: FollowRequest, reason: RpcError): void => {
  const {response} = call;
  if (isGone(response)) return;
  const timer = timers.after(FOLLOW_END_MS, () => cutOff(response));
  response.on('close', () => timer.cancel());
  response.end(`${JSON.stringify(errorJson(reason))}\n`);
};

const lineOf = ({call}: FollowRequest, item: object): string => {
  const {selection} = call.query;
  return `${JSON.stringify(selection === undefined ? item : selectFields(item, selection))}\n`;
};

/** An empty line now and then, so that a reader that has gone is noticed; none while the one before waits for the reader. */
const heartbeat = ({call, timers}: FollowRequest): {cancel(): void} => {
  let isWaiting = false;
  const beat = (): void => {
    if (isGone(call.response)) return;
    if (!isWaiting) {
      isWaiting = true;
      void writeChunk(call.response, '\n').then(() => {
        isWaiting = false;
      });
    }
    timer = timers.after(FOLLOW_HEARTBEAT_MS, beat);
  };
  let timer = timers.after(FOLLOW_HEARTBEAT_MS, beat);
  return {cancel: () => timer.cancel()};
};
