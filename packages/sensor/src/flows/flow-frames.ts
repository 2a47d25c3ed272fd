// SPDX-License-Identifier: Apache-2.0
/** The packets of one flow out of the capture files of its endpoint. */
import type {FlowFrame, FlowFrames, FlowQuery} from '@palisade/ids-wire';
import {parseIp} from '@palisade/ids-wire/ip';
import {FLOW_FRAMES_BYTES_MAX} from '../limits.ts';
import {flowFilesOf, readFlowFile} from './flow-files.ts';
import {framesIn, type PacketEnds} from './frame-flow.ts';
import {pcapRecords} from './read-pcap.ts';

const PROTOCOLS: Readonly<Record<string, number>> = {icmp: 1, tcp: 6, udp: 17, 'ipv6-icmp': 58, icmpv6: 58, sctp: 132};
/** A file is written a while after the time of its packets, and begins with packets of the session before its name's time. */
const SLACK_MICROS = 60_000_000;

const isOf = ({protocol, source, destination}: FlowQuery, ends: PacketEnds): boolean => {
  const number = PROTOCOLS[protocol];
  if (number !== undefined && number !== ends.protocol) return false;
  const fits = (from: FlowQuery['source'], to: FlowQuery['source']): boolean =>
    ends.source === from.ip &&
    ends.destination === to.ip &&
    (ends.ports === undefined || (ends.ports[0] === from.port && ends.ports[1] === to.port));
  return fits(source, destination) || fits(destination, source);
};

/** Records that are looked at in one turn of the event loop. */
const RECORDS_PER_TURN = 2_000;
const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** As they are in a packet. */
const bytesOf = (text: string): Buffer => {
  const {bytes = new Uint8Array(), v4 = false} = parseIp(text) ?? {};
  return Buffer.from(v4 ? bytes.subarray(12) : bytes);
};

const frameOf = (query: FlowQuery, frame: Buffer): Buffer | undefined => {
  for (const [inside, ends] of framesIn(frame)) if (isOf(query, ends)) return inside;
  return undefined;
};

/** In the order of their time. `dir`: of all sensors. */
export const readFlowFrames = async (dir: string, query: FlowQuery): Promise<FlowFrames> => {
  const {fromMicros, untilMicros} = query;
  const frames: FlowFrame[] = [];
  const addresses = [bytesOf(query.source.ip), bytesOf(query.destination.ip)];
  let bytes = 0;
  for (const file of await flowFilesOf(dir, query.endpoint)) {
    if (file.firstMicros > untilMicros + SLACK_MICROS || file.writtenMs * 1000 < fromMicros - SLACK_MICROS) continue;
    const content = await readFlowFile(file);
    if (content === undefined) continue;
    let count = 0;
    for (const {micros, frame} of pcapRecords(content)) {
      if (++count % RECORDS_PER_TURN === 0) await nextTurn();
      if (micros < fromMicros || micros > untilMicros) continue;
      if (!addresses.every(address => frame.includes(address))) continue; // quick, for most are of other flows
      const found = frameOf(query, frame);
      if (found === undefined) continue;
      bytes += found.length;
      if (bytes > FLOW_FRAMES_BYTES_MAX) return {frames: inOrder(frames), isCut: true};
      frames.push({micros, bytes: Uint8Array.from(found)});
    }
  }
  return {frames: inOrder(frames), isCut: false};
};

const inOrder = (frames: FlowFrame[]): FlowFrame[] => frames.sort((a, b) => a.micros - b.micros);
