// SPDX-License-Identifier: Apache-2.0
/** The event of an alert, as the record store keeps it, as evidence that people and programs can read. Ref: Suricata 7 EVE JSON format. */
import type {ThreatEvidence} from '@palisade/ids-wire';
import {ja4Of} from './ja4.ts';

type Fields = Readonly<Record<string, unknown>>;

const LAYERS = ['http', 'dns', 'smtp', 'email', 'flow'] as const;

const objectOf = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const objectsOf = (value: unknown): readonly Fields[] =>
  (Array.isArray(value) ? value : []).map(objectOf).filter(item => item !== undefined);

const printableOf = (bytes: Buffer): string => bytes.toString('latin1').replace(/[^\x20-\x7e]/g, '.');

const packetOf = (event: Fields): ThreatEvidence['packet'] => {
  const data = textOf(event['packet']);
  if (data === undefined) return undefined;
  const linkType = Number(objectOf(event['packet_info'])?.['linktype'] ?? 1);
  return {data, bytes: Buffer.from(data, 'base64').length, link_type: linkType};
};

const payloadOf = (event: Fields): ThreatEvidence['payload'] => {
  const data = textOf(event['payload']);
  if (data === undefined) return undefined;
  const bytes = Buffer.from(data, 'base64');
  return {data, bytes: bytes.length, printable: printableOf(bytes), is_stream: event['stream'] === 1};
};

/** With JA4, which Suricata 7 leaves out of alerts. */
const tlsOf = (event: Fields): Fields | undefined => {
  const tls = objectOf(event['tls']);
  const sent = textOf(event['payload']);
  if (tls === undefined || tls['ja4'] !== undefined || sent === undefined) return tls;
  const ja4 = ja4Of(Buffer.from(sent, 'base64'));
  return ja4 === undefined ? tls : {...tls, ja4};
};

const given = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Undefined: it is no event. */
export const parseEvent = (text: string): Fields | undefined => {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return undefined;
  }
};

export const evidenceOf = (event: Fields): ThreatEvidence => {
  const files = objectsOf(event['files']);
  const single = objectOf(event['fileinfo']);
  const all = files.length > 0 || single === undefined ? files : [single];
  const leftOut = event['palisade_left_out'];
  return given({
    packet: packetOf(event),
    payload: payloadOf(event),
    ...Object.fromEntries(LAYERS.map(name => [name, objectOf(event[name])])),
    tls: tlsOf(event),
    files: all.length === 0 ? undefined : all,
    community_id: textOf(event['community_id']),
    left_out: Array.isArray(leftOut) ? leftOut : undefined,
    event,
  }) as ThreatEvidence;
};
