// SPDX-License-Identifier: Apache-2.0
/** A capture file of one threat: of its flow, or of its alert where no other packets are kept. */
import {
  type FlowFrame,
  type FlowQuery,
  type PcapSource,
  parseMicros,
  type ThreatEvidence,
  type ThreatRecord,
} from '@palisade/ids-wire';
import {FLOW_AFTER_MICROS} from '../limits.ts';
import {microsOf} from '../records/select.ts';
import type {SensorHost} from '../sensor-host.ts';
import {asFrame, madeUpPacket} from './made-up-packet.ts';
import {writePcap} from './write-pcap.ts';

export type ThreatPcap = {readonly source: PcapSource; readonly file: Buffer};

const ETHERNET = 1;
/** The clocks of packet and event are the same; a flow's first packet may be a handshake that begins it. */
const BEFORE_MICROS = 1_000_000;

const endsOf = (record: ThreatRecord) => ({
  protocol: record.ip_protocol,
  source: {ip: record.source_ip_address, port: Number(record.source_port)},
  destination: {ip: record.destination_ip_address, port: Number(record.destination_port)},
});

/** EVE writes the zone without a colon. */
const startOf = (flow: ThreatEvidence['flow']): number | undefined => {
  const start: unknown = flow?.['start'];
  return typeof start === 'string' ? parseMicros(start.replace(/([+-]\d\d)(\d\d)$/, '$1:$2')) : undefined;
};

export const flowQueryOf = (record: ThreatRecord, evidence: ThreatEvidence | undefined): FlowQuery => {
  const at = microsOf(record);
  return {
    endpoint: record.endpoint,
    ...endsOf(record),
    fromMicros: (startOf(evidence?.flow) ?? at) - BEFORE_MICROS,
    untilMicros: at + FLOW_AFTER_MICROS,
  };
};

const bytesOf = (part: {readonly data: string} | undefined): Buffer | undefined =>
  part === undefined ? undefined : Buffer.from(part.data, 'base64');

const frameOf = ({packet}: ThreatEvidence): Uint8Array | undefined => {
  const bytes = bytesOf(packet);
  return bytes === undefined || packet === undefined ? undefined : asFrame(bytes, packet.link_type);
};

/** What the alert itself holds. */
const ofAlert = (record: ThreatRecord, evidence: ThreatEvidence): ThreatPcap | undefined => {
  const packet = frameOf(evidence);
  const payload = bytesOf(evidence.payload);
  const isInPacket = payload === undefined || (packet !== undefined && Buffer.from(packet).includes(payload));
  const made = isInPacket ? undefined : madeUpPacket({...endsOf(record), payload});
  const micros = microsOf(record);
  const frames: FlowFrame[] = [made, packet].flatMap(bytes => (bytes === undefined ? [] : [{micros, bytes}]));
  if (frames.length === 0) return undefined;
  return {source: made === undefined ? 'packet' : 'payload', file: writePcap(frames, ETHERNET)};
};

/** The alert's packet may still be in Suricata's buffer. */
const withPacket = (frames: readonly FlowFrame[], record: ThreatRecord, evidence: ThreatEvidence | undefined) => {
  const bytes = evidence === undefined ? undefined : frameOf(evidence);
  const packet = bytesOf(evidence?.packet);
  if (bytes === undefined || packet === undefined) return frames;
  if (frames.some(frame => Buffer.from(frame.bytes).includes(packet))) return frames;
  return [...frames, {micros: microsOf(record), bytes}].sort((a, b) => a.micros - b.micros);
};

/** Undefined: no packet of it is kept. */
export const threatPcap = async (
  host: SensorHost,
  record: ThreatRecord,
  evidence: ThreatEvidence | undefined,
): Promise<ThreatPcap | undefined> => {
  const {frames, isCut} = await host.flowFrames(flowQueryOf(record, evidence));
  const source = isCut ? 'flow-cut' : 'flow';
  if (frames.length > 0) return {source, file: writePcap(withPacket(frames, record, evidence), ETHERNET)};
  return evidence === undefined ? undefined : ofAlert(record, evidence);
};
