// SPDX-License-Identifier: Apache-2.0
/**
 * Where records are kept.
 *
 *   /ids-records/meta/{endpoint name}                       RecordMeta (JSON)
 *   /ids-records/{threats|traffic}/{endpoint name}/{rank}   the record (JSON)
 *
 * The rank is `{time}-{id}`: the record's time to the second, then the id that the sensor gave it, with its file offset padded, so
 * that ranks sort by time and then by the order of the alerts. An id always comes with the same time, so writing it again replaces.
 */
import {type AnyRecord, formatTimestamp, parseTimestamp, type RecordKind, recordTime} from '@palisade/ids-wire';

export const RECORDS_PREFIX = '/ids-records/';
export const META_PREFIX = `${RECORDS_PREFIX}meta/`;
const OFFSET_DIGITS = 15;
const TIME_LENGTH = '2024-05-27T22:42:30Z'.length;

export const metaKey = (endpoint: string): string => `${META_PREFIX}${endpoint}`;
export const kindPrefix = (kind: RecordKind): string => `${RECORDS_PREFIX}${kind}/`;
export const recordsPrefix = (kind: RecordKind, endpoint: string): string => `${kindPrefix(kind)}${endpoint}/`;

/** Time to the second, in the form that sorts. */
export const rankTime = (ms: number): string => formatTimestamp(Math.floor(ms / 1000) * 1000);

export const rankOf = (id: string, record: AnyRecord): string => {
  const time = rankTime(parseTimestamp(recordTime(record)) ?? 0);
  return `${time}-${id.replace(/-(\d+)$/, (_, offset: string) => `-${offset.padStart(OFFSET_DIGITS, '0')}`)}`;
};

export const timeOfRank = (rank: string): string => rank.slice(0, TIME_LENGTH);
/** A stable name of the record within its endpoint. */
export const insertIdOf = (rank: string): string => rank.slice(TIME_LENGTH + 1);

/** Undefined: not the key of a record of this kind. */
export const parseRecordKey = (
  kind: RecordKind,
  key: string,
): {readonly endpoint: string; readonly rank: string} | undefined => {
  const prefix = kindPrefix(kind);
  const slash = key.lastIndexOf('/');
  if (!key.startsWith(prefix) || slash <= prefix.length) return undefined;
  return {endpoint: key.slice(prefix.length, slash), rank: key.slice(slash + 1)};
};
