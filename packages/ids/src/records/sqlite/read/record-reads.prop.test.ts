// SPDX-License-Identifier: Apache-2.0
/** The reader over files ≡ the predicates and orders in JavaScript over the same records, for any records, filter and order. */
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setImmediate} from 'node:timers/promises';
import {
  type AnyRecord,
  DIRECTIONS,
  formatMicros,
  type RecordKind,
  SEVERITIES,
  type ThreatRecord,
} from '@palisade/ids-wire';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {MemoryRecordStore} from '../../../testing/memory-record-store.ts';
import {RecordFiles} from '../../../testing/record-files.ts';
import {GROUPS, type RecordPosition, type RecordSelection, type TriageChange} from '../../record-store.ts';
import {type TriageEvents, withChange} from '../../triage.ts';
import {RecordReads} from './record-reads.ts';

const NAMES = [
  'projects/p/locations/l/endpoints/a',
  'projects/p/locations/m/endpoints/b',
  'projects/q/locations/l/endpoints/a',
];
const ADDRESSES = [
  '10.0.0.1',
  '10.0.0.2',
  '10.0.9.9',
  '192.0.2.1',
  '::1',
  '::2',
  '2001:db8::1',
  '2001:db8:1::2',
  'fe80::9',
  '',
];
const T0 = Date.UTC(2026, 0, 1, 23, 59, 0) * 1000;

const seconds = (micros: number): string => `${formatMicros(micros).slice(0, 19)}Z`;
const pick = <T>(...values: readonly T[]) => fc.constantFrom(...values);

/** Records that often agree in a field, around midnight. */
const given = fc.record({
  endpoint: pick(...NAMES),
  micros: fc.oneof(
    fc.integer({min: 0, max: 120_000_000}),
    pick(0, 1, 60_000_000, 60_000_001, 59_999_999, 61_000_000, 119_000_123),
  ),
  severity: pick(...SEVERITIES),
  source: pick(...ADDRESSES),
  destination: pick(...ADDRESSES),
  port: pick(0, 53, 80, 443, 65_535),
  protocol: pick('tcp', 'udp', 'icmp'),
  application: pick('http', 'dns', 'unknown', ''),
  threat: pick('1:1', '1:2', '1:20', '2:1'),
  name: pick('ET SCAN Nmap', 'Größe "x"', 'K\u212Aelvin', 'a\\b', 'scan'),
  uri: pick('', '/a', '/A*', '/ü'),
  repeat: fc.integer({min: 1, max: 5}),
  cves: pick(undefined, ['CVE-2014-6271'], ['CVE-2014-6271', 'CVE-2021-44228']),
  references: pick(undefined, ['https://SQLmap.org/ü'], ['a "quoted" \\ one', 'https://sqlmap.org/']),
  mitre: pick(undefined, {id: 'T1059', name: 'Command Interpreter'}, {id: 'T1059.001', name: 'PowerShell'}),
  triage: fc.array(pick('acknowledge', 'escalate', 'unacknowledge', 'comment'), {maxLength: 3}),
});
type Given = typeof given extends fc.Arbitrary<infer G> ? G : never;

const recordOf = (g: Given, kind: RecordKind): AnyRecord => {
  const at = T0 + g.micros;
  const flow = {
    network: 'net',
    source_ip_address: g.source,
    destination_ip_address: g.destination,
    source_port: String(g.port),
    destination_port: String(g.port === 80 ? 443 : 80),
    ip_protocol: g.protocol,
    application: g.application,
    session_id: String(g.port),
    repeat_count: String(g.repeat),
    endpoint: g.endpoint,
    event_time: formatMicros(at),
  };
  if (kind === 'traffic')
    return {...flow, start_time: seconds(at), elapsed_time: '1', total_bytes: String(g.repeat), total_packets: '1'};
  return {
    ...flow,
    threat_id: g.threat,
    name: g.name,
    alert_severity: g.severity,
    type: 'vulnerability',
    category: 'scan',
    alert_time: seconds(at),
    direction: DIRECTIONS[g.port % 2] ?? 'client-to-server',
    uri_or_filename: g.uri,
    details: `seen ${g.uri}`,
    rule_revision: '1',
    rule_priority: String(g.repeat),
    ...(g.cves === undefined ? {} : {cves: g.cves}),
    ...(g.references === undefined ? {} : {references: g.references}),
    ...(g.mitre === undefined ? {} : {mitre_techniques: [g.mitre]}),
  } as ThreatRecord;
};

const changesOf = (g: Given): TriageEvents =>
  g.triage.reduce<TriageEvents>((events, action, i) => {
    const text = action === 'comment' ? {text: 'Seen'} : {};
    return withChange(events, {action, user: 'ann', timeMs: i, ...text} as TriageChange) ?? events;
  }, []);

const time = fc.oneof(
  fc.integer({min: -1, max: 121}).map(s => seconds(T0 + s * 1_000_000)),
  fc.integer({min: 0, max: 120_000_000}).map(micros => formatMicros(T0 + micros)),
  pick(`${formatMicros(T0 + 1).slice(0, -1)}4Z`, `${formatMicros(T0 + 59_999_999).slice(0, -1)}999Z`),
);
const order = pick('=', '!=', '<', '<=', '>', '>=');
const same = pick('=', '!=', ':');
const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
const block = fc.oneof(
  pick(
    '10.0.0.0/8',
    '10.0.0.0/31',
    '0.0.0.0/0',
    '::/0',
    '::/127',
    '2001:db8::/32',
    '::ffff:0:0/96',
    '::ffff:10.0.0.0/104',
    '::/64',
    'fe80::/10',
    '::ffff:0:0/90',
  ),
  pick(...ADDRESSES.filter(a => a !== ''), '::ffff:10.0.0.1', '2001:0DB8::1'),
);
const common = [
  fc.tuple(pick('source_ip_address', 'destinationIpAddress'), same, block).map(([f, c, v]) => `${f}${c}${quoted(v)}`),
  fc
    .tuple(pick('source_port', 'destination_port'), pick('=', '!=', '<=', '>='), pick(0, 80, 443))
    .map(([f, c, v]) => `${f}${c}${v}`),
  fc
    .tuple(
      pick('application', 'ip_protocol'),
      pick('=', '!=', ':', '<', '>='),
      pick('http', 'dns', 'tcp', 't*', '*p', 'd'),
    )
    .map(([f, c, v]) => `${f}${c}${quoted(v).replace('\\*', '*')}`),
  fc.tuple(order, time).map(([c, v]) => `event_time${c}"${v}"`),
  fc.tuple(same, pick(...NAMES, 'projects/p/*')).map(([c, v]) => `endpoint${c}"${v}"`),
  fc.tuple(pick('=', '>=', '<', '!='), pick(1, 2, 3)).map(([c, v]) => `repeat_count${c}${v}`),
  pick(
    'source_ip_address="10.0.*"',
    'source_ip_address:*',
    'source_port=*',
    '"10.0.0.1"',
    'dns',
    '"2001:DB8::1"',
    'session_id=80',
    'community_id=""',
    'network:NE',
  ),
];
const ofKind: Record<RecordKind, fc.Arbitrary<string>> = {
  threats: fc.oneof(
    ...common,
    fc.tuple(order, pick(...SEVERITIES)).map(([c, v]) => `alert_severity${c}${v}`),
    fc.tuple(order, time).map(([c, v]) => `alert_time${c}"${v}"`),
    fc.tuple(pick('=', '!=', ':'), pick('1:1', '1:2', '1:*', '*:1', '2:1')).map(([c, v]) => `threat_id${c}"${v}"`),
    fc
      .tuple(pick('acknowledged', 'escalated'), pick('=', '!='), pick('true', 'false'))
      .map(([f, c, v]) => `${f}${c}${v}`),
    fc
      .tuple(
        pick('name', 'uri_or_filename', 'details', 'category'),
        pick('=', '!=', ':', '>'),
        pick('scan', 'nmap', 'größe', 'kk', 'a\\b', '/A', ''),
      )
      .map(([f, c, v]) => `${f}${c}${quoted(v)}`),
    pick(
      'cves:"CVE-2021-44228"',
      'cves:*',
      'name="ET*"',
      'name:"e*nm"',
      'comments:Seen',
      'comments:SE',
      'references:sqlMAP',
      'references:"QUOTED*one"',
      'references:"\\"quoted\\""',
      'references:Ü',
      'references:""',
      'mitre_techniques:T1059',
      'mitre_techniques:t1059',
      'mitre_techniques:"T1059*"',
      'mitre_techniques:power',
      'seen',
      'acknowledged:*',
      'acknowledged_by=ann',
      'rule_priority<3',
      'direction="client*"',
    ),
  ),
  traffic: fc.oneof(
    ...common,
    fc.tuple(order, time).map(([c, v]) => `start_time${c}"${v}"`),
    pick('total_bytes>2', 'elapsed_time=1'),
  ),
};
const filterOf = (kind: RecordKind): fc.Arbitrary<string> =>
  fc
    .letrec<{filter: string}>(tie => ({
      filter: fc.oneof(
        {depthSize: 'small', withCrossShrink: true},
        ofKind[kind],
        fc.tuple(tie('filter'), pick(' AND ', ' OR '), tie('filter')).map(([a, op, b]) => `(${a})${op}(${b})`),
        tie('filter').map(a => `NOT (${a})`),
        pick(''),
      ),
    }))
    .filter.map(text => text.replaceAll('()', '(repeat_count>=1)'));

const ORDERS: Record<RecordKind, readonly string[]> = {
  threats: [
    ...['', 'event_time', 'event_time desc', 'alert_time desc', 'alertTime', 'alert_severity desc', 'name desc'],
    ...['alert_severity desc, event_time desc', 'alert_severity, source_ip_address', 'repeat_count desc, event_time'],
    ...['source_ip_address desc', 'destination_ip_address, alert_time desc', 'endpoint, threat_id', 'acknowledge_time'],
    ...['application, ip_protocol desc, source_port', 'alert_severity, name'],
  ],
  traffic: ['', 'start_time desc', 'event_time desc', 'total_bytes desc', 'source_port, event_time desc'],
};
const asked = fc.constantFrom<RecordKind>('threats', 'traffic').chain(kind =>
  fc.record({
    kind: fc.constant(kind),
    records: fc.array(given, {maxLength: 30}),
    filter: filterOf(kind),
    orderBy: pick(...ORDERS[kind]),
    limit: fc.integer({min: 1, max: 12}),
    part: pick(['-', '-', '-'], ['p', '-', '-'], ['p', 'l', 'a'], ['-', 'l', 'a']),
    sinceMs: pick(undefined, T0 / 1000 + 30_000, T0 / 1000 + 60_000, T0 / 1000 + 0.5),
    untilMs: pick(undefined, T0 / 1000 + 60_000, T0 / 1000 + 90_500),
    groupBy: pick(
      undefined,
      ...GROUPS.filter(group => kind === 'threats' || (group !== 'threat' && group !== 'severity')),
    ),
    histogramMs: pick(undefined, 1_000, 60_000, 7_000, 120_000),
    writtenUntil: pick(undefined, 3),
    recordsMax: pick(3, 1_000),
  }),
);

const RUNS = Number(process.env['PALISADE_PROP_RUNS'] ?? 100);

test('44-3 pages and aggregates from files are those of the predicates in JavaScript', {timeout: 120_000}, async () => {
  await fc.assert(
    fc.asyncProperty(
      asked,
      async ({kind, records, part, limit, orderBy, groupBy, histogramMs, writtenUntil, recordsMax, ...rest}) => {
        const directory = mkdtempSync(join(tmpdir(), 'record-reads-'));
        const files = new RecordFiles(directory, recordsMax);
        const memory = new MemoryRecordStore();
        for (const [i, g] of records.entries()) {
          const record = recordOf(g, kind);
          const {endpoint} = g;
          const event = `3f2a9c11-${i % 20}`;
          const triage = kind === 'traffic' ? [] : changesOf(g);
          const id = files.add({kind, endpoint, event, record, written: i + 1, ...(triage.length > 0 ? {triage} : {})});
          const batch = {endpoint, checkpoint: undefined, counters: NO_COUNTERS, threats: [], traffic: []};
          await memory.commit({...batch, [kind]: [{id: event, record}]});
          for (const change of triage) await memory.triage({endpoint, id}, change);
        }
        files.close();
        const reads = new RecordReads(directory, {now: () => Date.now()}, async () => void (await setImmediate()));
        try {
          const [project = '', location = '', endpointId = ''] = part;
          const selection: RecordSelection = {kind, name: {project, location, endpointId}, ...rest};
          for (let after: RecordPosition | undefined; ; ) {
            const request = {...selection, orderBy, limit, after};
            const [page, want] = [await reads.page(request), await memory.page(request)];
            expect(page).toEqual(want);
            if (page.next === undefined) break;
            after = page.next;
          }
          const sums = {...selection, groupBy, histogramMs, groupsMax: 3};
          const [sum, want] = [await reads.aggregate(sums), await memory.aggregate(sums)];
          expect(sum).toEqual(want);
          if (writtenUntil !== undefined) {
            const page = await reads.page({...selection, orderBy, limit: 100, writtenUntil});
            const early = new Set(records.slice(0, writtenUntil).map((g, i) => `${g.endpoint} ${i % 20}`));
            expect(page.records.length).toBeLessThanOrEqual(early.size);
          }
        } finally {
          reads.close();
          rmSync(directory, {recursive: true});
        }
      },
    ),
    {numRuns: RUNS},
  );
});

const NO_COUNTERS = {seen: 0, stored: 0, filtered: 0, excepted: 0, lost: 0};
