// SPDX-License-Identifier: Apache-2.0
/** What the network and Suricata write: mirrored frames, capture files, EVE lines, logs, and what is kept beside them. */
import {isDeepStrictEqual} from 'node:util';
import {parseEvent, evidenceOf as shownEvidence} from '../../../packages/ids/src/evidence/decode-event.ts';
import {ja4Of} from '../../../packages/ids/src/evidence/ja4.ts';
import {toEveLine} from '../../../packages/ids/src/export/eve/eve-line.ts';
import {eventFields} from '../../../packages/ids/src/export/shapes/ecs-event.ts';
import {threatRecord} from '../../../packages/ids/src/testing/threat-record.ts';
import {ENCAPSULATIONS} from '../../../packages/sensor/src/capture/encapsulation.ts';
import {FrameQueue, pcapHeader} from '../../../packages/sensor/src/capture/frame-queue.ts';
import {parseMirrorFrom, senderFilter} from '../../../packages/sensor/src/capture/mirror-from.ts';
import {parseUdpTable} from '../../../packages/sensor/src/capture/udp-table.ts';
import {decodeEveLine} from '../../../packages/sensor/src/eve/eve-record.ts';
import {evidenceOf} from '../../../packages/sensor/src/eve/evidence.ts';
import {signatureOf, toThreatRecord, toTrafficRecord} from '../../../packages/sensor/src/eve/to-record.ts';
import {framesIn} from '../../../packages/sensor/src/flows/frame-flow.ts';
import {pcapRecords} from '../../../packages/sensor/src/flows/read-pcap.ts';
import {EVIDENCE_BYTES_MAX} from '../../../packages/sensor/src/limits.ts';
import {parseFigures} from '../../../packages/sensor/src/loss/figures-file.ts';
import {
  isDiskFull,
  isEngineStarted,
  isOfOffloading,
  LineSplitter,
  parseEngineLogLine,
} from '../../../packages/sensor/src/suricata/engine-log.ts';
import {claim, target} from '../frame/target.ts';

const SPEC = {endpoint: 'projects/p/locations/local/endpoints/e', network: 'net'} as never;
const hex = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ''), 'hex');
const ETHERNET = '02000000000202000000000108004500001c00010000401100007f0000017f000001 30391 2b500080000'.replace(
  /\s/g,
  '',
);
const INNER = hex('0200000000020200000000010800 4500001c000100004011 0000 c0000201 c0000202 0035 0036 0008 0000');
const vxlan = Buffer.concat([hex('0800000000002a00'), INNER]);
const geneve = Buffer.concat([hex('0200655800002a00 0101010100000001'), INNER]);
const udpIn = (port: number, payload: Buffer): Buffer => {
  const frame = Buffer.concat([
    hex('020000000002020000000001 0800 45000000000100004011 0000 c0000201 c0000202 1111 0000 0000 0000'),
    payload,
  ]);
  frame.writeUInt16BE(port, 36);
  return frame;
};

const encapsulated = (name: 'VXLAN' | 'GENEVE') =>
  target({
    name: name.toLowerCase(),
    form: 'bytes',
    seeds:
      name === 'VXLAN'
        ? [vxlan, vxlan.subarray(0, 8)]
        : [
            geneve,
            Buffer.concat([hex('0000080000002a00'), INNER.subarray(14)]),
            Buffer.concat([hex('000086dd00002a00'), Buffer.alloc(40, 0x60)]),
            hex('0080655800000000'),
          ],
    bytesMax: 70_000,
    decode: input => {
      const inner = ENCAPSULATIONS.find(each => each.name === name)?.parse(input);
      if (inner === undefined) return undefined;
      const {vni, start, madeUpHeader} = inner;
      claim(vni >= 0 && vni < 2 ** 24, `VNI ${vni}`);
      claim(start >= 8 && start <= input.length, `the frame begins at ${start} of ${input.length}`);
      const queue = new FrameQueue(1 << 17, 1 << 20);
      const isQueued = queue.push(input, start, 1_000, madeUpHeader);
      const file = Buffer.concat([pcapHeader(), queue.next() ?? Buffer.alloc(0)]);
      const frames = [...pcapRecords(file)].map(({frame}) => frame);
      const wanted = Buffer.concat([madeUpHeader ?? Buffer.alloc(0), input.subarray(start)]);
      claim(!isQueued || isDeepStrictEqual(frames, [wanted]), 'the queue gives another frame');
      return {vni, start};
    },
  });

const ALERT = JSON.stringify({
  timestamp: '2026-01-02T03:04:05.123456+0000',
  flow_id: 7,
  event_type: 'alert',
  src_ip: '192.0.2.1',
  src_port: 1,
  dest_ip: '192.0.2.2',
  dest_port: 80,
  proto: 'TCP',
  app_proto: 'http',
  alert: {
    action: 'allowed',
    gid: 1,
    signature_id: 9000001,
    rev: 2,
    signature: 'x',
    category: 'Attempted Information Leak',
    severity: 2,
    metadata: {signature_severity: ['Major']},
  },
  http: {hostname: 'h', url: '/a', http_method: 'GET'},
  payload: 'AAAA',
  packet: 'AAAA',
  packet_info: {linktype: 1},
  files: [{filename: 'f'}],
  community_id: '1:x',
  tls: {sni: 's'},
  dns: {rrname: 'd'},
});
const FLOW = JSON.stringify({
  timestamp: '2026-01-02T03:04:05.123456+0000',
  flow_id: 7,
  event_type: 'flow',
  src_ip: '192.0.2.1',
  dest_ip: '192.0.2.2',
  proto: 'ICMP',
  flow: {
    pkts_toserver: 1,
    pkts_toclient: 2,
    bytes_toserver: 3,
    bytes_toclient: 4,
    start: '2026-01-02T03:04:05.123456+0000',
    end: '2026-01-02T03:04:06.123456+0000',
    age: 1,
    state: 'new',
  },
});
const STATS = JSON.stringify({
  timestamp: '2026-01-02T03:04:05.123456+0000',
  event_type: 'stats',
  stats: {
    capture: {kernel_packets: 1, kernel_drops: 0},
    decoder: {pkts: 1, bytes: 2, invalid: 0},
    detect: {alert: 1, alerts_suppressed: 0, alert_queue_overflow: 0},
  },
});

const RECORD = threatRecord({
  threat_id: '1:1',
  name: 'n',
  alert_severity: 'LOW',
  alert_time: '2026-01-02T03:04:05Z',
  source_port: '1',
  endpoint: 'e',
});
const RECORD_SEEDS = [
  ALERT,
  FLOW,
  STATS,
  '{"event_type":"palisade","file":"a","run":"b"}',
  '{"event_type":"dns"}',
  '{',
];

export const sensorTargets = [
  encapsulated('VXLAN'),
  encapsulated('GENEVE'),
  target({
    name: 'frame-flow',
    form: 'bytes',
    seeds: [
      INNER,
      udpIn(4789, vxlan),
      udpIn(6081, geneve),
      hex(ETHERNET.length % 2 === 0 ? ETHERNET : `${ETHERNET}0`),
      hex(
        '0200000000020200000000018100 0001 86dd 60000000 0010 00 40 20010db8000000000000000000000001 20010db8000000000000000000000002 1100000000000000 0035 0036 0008 0000',
      ),
    ],
    decode: input => [...framesIn(input)].map(([frame, ends]) => ({bytes: frame.length, ...ends})),
  }),
  target({
    name: 'sensor-pcap',
    form: 'bytes',
    seeds: [Buffer.concat([pcapHeader(), hex('01000000 02000000 2a000000 2a000000'), INNER])],
    decode: input =>
      [...pcapRecords(input)].map(({micros, frame}) => ({
        micros,
        bytes: frame.length,
        frames: [...framesIn(frame)].length,
      })),
  }),
  target({
    name: 'eve-line',
    form: 'json',
    seeds: RECORD_SEEDS,
    decode: input => {
      const line = decodeEveLine(input.toString());
      if (line.type === 'alert') {
        const signature = signatureOf(line.alert, undefined);
        const record = toThreatRecord(line.alert, signature, SPEC, signature.severity);
        for (const [name, value] of Object.entries(record))
          claim(typeof value === 'string' || Array.isArray(value), `${name} of the record is no text`);
        return record;
      }
      return line.type === 'flow' ? toTrafficRecord(line.flow, SPEC, 1) : line;
    },
  }),
  target({
    name: 'eve-evidence',
    form: 'json',
    refusals: [SyntaxError],
    seeds: [ALERT, JSON.stringify({...(JSON.parse(ALERT) as object), payload_printable: 'x'.repeat(70_000)})],
    decode: input => {
      const text = input.toString();
      JSON.parse(text);
      if (decodeEveLine(text).type !== 'alert') return undefined; // only alerts have evidence
      const kept = evidenceOf(text);
      const {alert, flow} = JSON.parse(text) as {readonly alert: unknown; readonly flow?: unknown};
      const always = Buffer.byteLength(JSON.stringify([alert, flow]));
      claim(Buffer.byteLength(kept) <= EVIDENCE_BYTES_MAX + always, `${kept.length} characters of evidence`);
      const event = parseEvent(kept);
      return event && shownEvidence(event);
    },
  }),
  target({
    name: 'export-event',
    form: 'json',
    seeds: RECORD_SEEDS,
    decode: input => {
      const event = input.toString();
      const item = {kind: 'threats', id: 'a', record: RECORD, event} as never;
      return {ecs: eventFields(event), line: toEveLine(item)};
    },
  }),
  target({
    name: 'client-hello',
    form: 'bytes',
    seeds: [hex(`16030100300100002c0303${'11'.repeat(32)}00 0004 1301 1302 01 00 0000`), hex('160301')],
    decode: input => ja4Of(input),
  }),
  target({
    name: 'engine-log',
    form: 'json',
    seeds: [
      '{"timestamp":"x","log_level":"Notice","event_type":"engine","engine":{"message":"Engine started."}}',
      'plain text: No space left on device',
      '{"engine":5}',
      'null',
    ],
    decode: input => {
      const lines: string[] = [];
      const splitter = new LineSplitter(line => lines.push(line));
      const text = input.toString();
      for (let at = 0; at < text.length; at += 7) splitter.push(text.slice(at, at + 7));
      splitter.end();
      return lines.map(line => {
        const parsed = parseEngineLogLine(line);
        return parsed && [isEngineStarted(parsed), isDiskFull(parsed), isOfOffloading(parsed)];
      });
    },
  }),
  target({
    name: 'figures',
    form: 'json',
    seeds: [
      '{"format":1,"aliveMs":1,"packets":{},"minutes":[],"blind":{"closed":[],"closedMs":0,"open":{"fromMs":1,"cause":"stopped","why":"x"}}}',
      '{"format":1,"aliveMs":5,"minutes":[[1,2,3]],"blind":{"closed":[{"fromMs":1,"untilMs":2,"cause":"crash"}]}}',
      '[]',
    ],
    decode: input => parseFigures(input.toString()),
  }),
  target({
    name: 'udp-table',
    form: 'text',
    seeds: [
      '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops\n 12: 0100004D7F:12B5 00000000:0000 07 00000000:00000300 00:00000000 00000000     0        0 1 2 0000000000000000 7\n 13: 0100007F:12B5 00000000:0000 07 00000000:0000AA00 00:00000000 00000000     0        0 1 2 0 9\n',
    ],
    words: [':', ' ', '0100007F:12B5', 'FFFFFFFF'],
    decode: input => parseUdpTable(input.toString(), '127.0.0.1', [4789, 6081]),
  }),
  target({
    name: 'networks',
    form: 'text',
    seeds: ['10.0.0.0/8', '2001:db8::/32', '!10.0.0.0/8', '10.0.0.1/8', '1.2.3.4'],
    words: ['/', ',', '!', ':', '.', '/0', '/129'],
    decode: input => {
      const words = input.toString().split(',');
      const {words: canonical, faults} = parseMirrorFrom(words);
      return faults.length > 0 ? {faults} : {canonical, accepts: senderFilter(canonical)?.('10.1.2.3')};
    },
    encode: ({canonical}) => canonical?.join(','),
  }),
];
