// SPDX-License-Identifier: Apache-2.0
/** A record as the columns of its row, but for its time, and times as days. */
import {type AnyRecord, parseIp, type RecordKind, type ThreatRecord} from '@palisade/ids-wire';

export type RecordColumns = {
  readonly repeat: number;
  readonly threat: string;
  readonly source: Uint8Array | null;
  readonly destination: Uint8Array | null;
  readonly sourcePort: number;
  readonly destinationPort: number;
  readonly protocol: string;
  readonly application: string;
};

const numberOf = (text: string): number => {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : 0;
};

const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;
const BYTE_MAX = 255;

/** As parseIp, which is slower: sensors write IPv4 addresses in one form. */
const addressOf = (text: string): Uint8Array | null => {
  const [, ...parts] = IPV4.exec(text) ?? [];
  const bytes = parts.map(Number);
  if (bytes.length === 0 || bytes.some(byte => byte > BYTE_MAX)) return parseIp(text)?.bytes ?? null;
  return Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, BYTE_MAX, BYTE_MAX, ...bytes);
};

export const columnsOf = (kind: RecordKind, record: AnyRecord): RecordColumns => ({
  repeat: numberOf(record.repeat_count),
  threat: kind === 'threats' ? (record as ThreatRecord).threat_id : '',
  source: addressOf(record.source_ip_address),
  destination: addressOf(record.destination_ip_address),
  sourcePort: numberOf(record.source_port),
  destinationPort: numberOf(record.destination_port),
  protocol: record.ip_protocol,
  application: record.application,
});

const DAY_MS = 86_400_000;
const LAST_MS = Date.UTC(9999, 11, 31);
let known = {day: -1, text: ''};

/** `YYYYMMDD` (UTC), within the years that have four digits. */
export const dayOf = (micros: number): string => {
  const day = Math.floor(Math.min(Math.max(micros / 1000, 0), LAST_MS) / DAY_MS);
  if (known.day !== day) known = {day, text: new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')};
  return known.text;
};
