// SPDX-License-Identifier: Apache-2.0
/** Records as CSV (RFC 4180, header line, CRLF); lists are joined with blanks. */
import {type AnyRecord, OWN_THREAT_FIELDS, type RecordKind} from './log-entry.ts';

const FLOW = [
  'network',
  'source_ip_address',
  'source_port',
  'destination_ip_address',
  'destination_port',
  'ip_protocol',
  'application',
  'session_id',
  'repeat_count',
  'event_time',
  'community_id',
] as const;

/** `id` is last, where it moves no column of the readers that count them. With `endpoint` it names the record. */
export const CSV_COLUMNS: Readonly<Record<RecordKind, readonly string[]>> = {
  threats: [
    'alert_time',
    'endpoint',
    'threat_id',
    'name',
    'alert_severity',
    'type',
    'category',
    ...FLOW,
    'direction',
    'uri_or_filename',
    'cves',
    'details',
    ...OWN_THREAT_FIELDS,
    'id',
  ],
  traffic: ['start_time', 'endpoint', 'elapsed_time', ...FLOW, 'total_bytes', 'total_packets', 'sample_rate'],
};

export const csvHeader = (kind: RecordKind): string => `${CSV_COLUMNS[kind].join(',')}\r\n`;

/** An element of a list: `T1190`, the text of a comment, or itself. */
const inCell = (item: unknown): string => {
  if (typeof item !== 'object' || item === null) return String(item);
  return String(('text' in item ? item.text : 'id' in item ? item.id : '') ?? '');
};

/** A leading quote keeps spreadsheets from running a value that begins with = + - @ as a formula. */
const cell = (value: unknown): string => {
  const text = Array.isArray(value) ? value.map(inCell).join(' ') : String(value ?? '');
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

export const toCsvLine = (kind: RecordKind, record: AnyRecord): string =>
  `${CSV_COLUMNS[kind].map(column => cell(record[column as keyof AnyRecord])).join(',')}\r\n`;
