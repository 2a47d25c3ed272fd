// SPDX-License-Identifier: Apache-2.0
/**
 * The id of a record: `TIME-FILE-OFFSET`, such as `644a1b2c3d4e5-3f2a9c11-0004932`: the record's time (microseconds since the epoch) and
 * the place of its event in the sensor's EVE file, in hexadecimal. So the same event has the same id however often it is read, ids sort by time, and an
 * id is enough to find its record.
 */
import {type AnyRecord, parseMicros} from '@palisade/ids-wire';

const TIME_DIGITS = 13;
const FILE_LENGTH = 8;
const OFFSET_DIGITS = 8;
/** Where a file was cut: how often. */
const CUT = /~(\d+)$/;

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/** `file`: a UUID, and behind a `~` how often the file was cut. */
const fileOf = (file: string): string => {
  const [, cuts] = CUT.exec(file) ?? [];
  const name = file
    .replace(CUT, '')
    .replaceAll(/[^0-9A-Za-z]/g, '')
    .slice(0, FILE_LENGTH);
  return cuts === undefined ? name : `${name}.${cuts}`;
};

/** The first id of a time: no record from then on has a lower one. */
export const idFrom = (micros: number): string => hex(Math.max(Math.floor(micros), 0), TIME_DIGITS);

/** `event`: `FILE-OFFSET`, as the sensor names it. */
export const recordIdOf = (event: string, record: AnyRecord): string => {
  const at = event.lastIndexOf('-');
  const offset = Number(event.slice(at + 1)) || 0;
  return `${idFrom(parseMicros(record.event_time) ?? 0)}-${fileOf(event.slice(0, at))}-${hex(offset, OFFSET_DIGITS)}`;
};

export {RECORD_ID, timeOfRecordId as timeOfId} from '@palisade/ids-wire';
