// SPDX-License-Identifier: Apache-2.0
/** A record as the columns of its row. */
import {type AnyRecord, parseIp, parseMicros, type RecordKind, type ThreatRecord} from '@palisade/ids-wire';

export type RecordColumns = {
  /** Microseconds. */
  readonly at: number;
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

export const columnsOf = (kind: RecordKind, record: AnyRecord): RecordColumns => ({
  at: parseMicros(record.event_time) ?? 0,
  repeat: numberOf(record.repeat_count),
  threat: kind === 'threats' ? (record as ThreatRecord).threat_id : '',
  source: parseIp(record.source_ip_address)?.bytes ?? null,
  destination: parseIp(record.destination_ip_address)?.bytes ?? null,
  sourcePort: numberOf(record.source_port),
  destinationPort: numberOf(record.destination_port),
  protocol: record.ip_protocol,
  application: record.application,
});

const DAY_FORMAT = /\D/g;
/** `YYYYMMDD` (UTC), within the years that have four digits. */
export const dayOf = (micros: number): string => {
  const ms = Math.min(Math.max(Math.floor(micros / 1000), 0), LAST_MS);
  return new Date(ms).toISOString().slice(0, 10).replaceAll(DAY_FORMAT, '');
};
const LAST_MS = Date.UTC(9999, 11, 31);
