// SPDX-License-Identifier: Apache-2.0
/**
 * A record as a syslog message.
 *
 *   <PRI>1 TIMESTAMP HOSTNAME palisade PID threat|traffic [palisade@ENTERPRISE id="…" kind="…" endpoint="…"] {JSON}
 *
 * TIMESTAMP is that of the event. The JSON has no character beyond ASCII (others are written as \uXXXX), so it needs no byte order mark,
 * which parsers of JSON refuse. A message that is too long loses its longest fields, not its end, and says so with `"truncated":true`.
 * Ref: RFC 5424, sections 6.2 to 6.4; RFC 5426, section 3.2.
 */
import type {ThreatRecord} from '@palisade/ids-wire';
import type {ExportItem, Observer} from '../exporter.ts';

/** Numbers of RFC 5424, table 1. */
export const FACILITIES: Readonly<Record<string, number>> = {
  user: 1,
  daemon: 3,
  auth: 4,
  authpriv: 10,
  audit: 13,
  alert: 14,
  ...Object.fromEntries(Array.from({length: 8}, (_, n) => [`local${n}`, 16 + n])),
};
export const FACILITY_DEFAULT = 'local0';

/** RFC 5424, table 2: crit, err, warning, notice, info. Traffic records are info. */
export const SYSLOG_SEVERITIES: Readonly<Record<ThreatRecord['alert_severity'], number>> = {
  CRITICAL: 2,
  HIGH: 3,
  MEDIUM: 4,
  LOW: 5,
  INFORMATIONAL: 6,
};
const INFO = 6;

/** Reserved for documentation (RFC 5612): the product has no number of its own; `enterprise` gives that of the user. */
export const ENTERPRISE_DEFAULT = '32473';
const NIL = '-';

export type MessageOptions = {
  readonly facility: number;
  readonly enterprise: string;
  readonly bytesMax: number;
  readonly observer: Observer;
  readonly toShape: (item: ExportItem) => object;
};
/** `truncated`: fields are missing. */
export type Message = {readonly bytes: Buffer; readonly truncated: boolean};

/** Printable ASCII without blanks, at most `max` characters. */
const word = (text: string, max: number): string => text.replaceAll(/[^!-~]/g, '').slice(0, max) || NIL;

/** RFC 5424, section 6.3.3. */
const parameter = (name: string, value: string): string => `${name}="${value.replaceAll(/["\\\]]/g, '\\$&')}"`;

/** By code unit, so that a character beyond the first plane becomes two escapes, as JSON has it. */
const ascii = (document: object): string =>
  JSON.stringify(document).replaceAll(
    /[\u007f-\uffff]/g,
    unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

export const messageOf = (item: ExportItem, options: MessageOptions): Message => {
  const {facility, enterprise, bytesMax, observer, toShape} = options;
  const {kind, record, endpoint, id} = item;
  const severity = kind === 'threats' ? SYSLOG_SEVERITIES[(record as ThreatRecord).alert_severity] : INFO;
  const header = [
    `<${facility * 8 + severity}>1`,
    word(record.event_time, 32),
    word(observer.hostname, 255),
    'palisade',
    word(String(observer.pid), 128),
    kind === 'threats' ? 'threat' : 'traffic',
    `[palisade@${enterprise} ${parameter('id', id)} ${parameter('kind', kind)} ${parameter('endpoint', endpoint)}]`,
  ].join(' ');
  const document = toShape(item);
  const whole = `${header} ${ascii(document)}`;
  const truncated = Buffer.byteLength(whole) > bytesMax;
  const text = truncated ? shortened(header, document, bytesMax) : whole;
  return {bytes: Buffer.from(text), truncated};
};

/** Of either shape: what names a record; never left out. */
const KEPT: ReadonlySet<string> = new Set([
  ...(['kind', 'id', 'endpoint', 'threat_id', 'name', 'alert_severity', 'event_time'] as const),
  ...(['source_ip_address', 'destination_ip_address', 'source_port', 'destination_port'] as const),
  ...(['@timestamp', 'ecs', 'event', 'rule', 'source', 'destination'] as const),
]);

const shortened = (header: string, document: object, bytesMax: number): string => {
  const fields: [string, unknown][] = [...Object.entries(document), ['truncated', true]];
  const rest = fields
    .filter(([name]) => !KEPT.has(name) && name !== 'truncated')
    .map(([name, value]) => ({name, size: ascii({value}).length}))
    .sort((a, b) => a.size - b.size);
  const left = new Set(fields.map(([name]) => name));
  const text = (): string => `${header} ${ascii(Object.fromEntries(fields.filter(([name]) => left.has(name))))}`;
  let shown = text();
  while (shown.length > bytesMax) {
    const longest = rest.pop();
    if (longest === undefined) return shown.slice(0, bytesMax); // longer than any record of ours
    left.delete(longest.name);
    shown = text();
  }
  return shown;
};
