// SPDX-License-Identifier: Apache-2.0
import type {EndpointHealth, IdsEndpoint} from '@palisade/client';
import type {EndpointHealthMessage} from '@palisade/ids-wire';
import {expect, test} from 'vitest';
import {endpointText} from './describe-ids.ts';

const NOW_MS = Date.parse('2026-11-27T16:10:00Z');
const ENDPOINT: IdsEndpoint = {
  name: 'projects/p/locations/local/endpoints/guard',
  state: 'READY',
  severity: 'LOW',
  network: 'projects/p/global/networks/default',
  endpointIp: '127.77.0.1',
  createTime: '2026-11-27T12:00:00.5Z',
  threatExceptions: ['1:1', '1:2'],
};
const HEALTH: EndpointHealthMessage = {
  endpoint: 'projects/p/locations/local/endpoints/guard',
  state: 'READY',
  status: 'DEGRADED',
  reasons: ['packets dropped: 38.0 % of the last 60 s', 'the newest rule set was refused'],
  driver: 'afpacket',
  pid: 77,
  restarts: 1,
  ruleSet: 'default',
  ruleSetVersion: 'abc',
  rulesLoaded: 98,
  rulesFailed: 2,
  rulesSkipped: 0,
  refusedRules: ['rule 3 of a.rules (line 3): no', 'rule 9 of a.rules (line 9): no'],
  skippedRules: [],
  vni: 4,
  homeNet: ['10.0.0.0/8', '!10.9.0.0/16'],
  packets: {
    received: 123_456,
    bytes: 45_000_000,
    dropped: 1234,
    drops: {kernel: 1200, socket: 0, queue: 0, crash: 30, stop: 4, notCaptured: 0, engine: 0},
    malformed: 7,
    refusedSender: 0,
    notInspectable: 12,
    notCounted: {foreignVni: 'the kernel drops them'},
  },
  packetLossRatio: 0.38,
  lossPerMinute: [
    {minute: '2026-11-27T16:08:00Z', received: 1000, dropped: 0},
    {minute: '2026-11-27T16:09:00Z', received: 1000, dropped: 380},
  ],
  blind: [
    {from: '2026-11-27T15:00:00.000Z', until: '2026-11-27T15:01:32.000Z', why: 'the server was stopped'},
    {from: '2026-11-27T16:09:56.800Z', why: 'Suricata ended (killed by SIGKILL)'},
  ],
  blindSeconds: 95.2,
  alerts: {seen: 11, stored: 8, filtered: 2, excepted: 0, lost: 1},
  suricataAlerts: {counted: 11, discarded: 3, suppressed: 0},
  records: {threats: 8, traffic: 0, threatsDropped: 0, trafficDropped: 0},
};

test('43-3 F-11 an endpoint is described by section, with drops by cause, loss, blind time and both alert counts', () => {
  expect(endpointText(ENDPOINT, HEALTH as unknown as EndpointHealth, NOW_MS)).toMatchInlineSnapshot(`
    "Endpoint
      Name:                  projects/p/locations/local/endpoints/guard
      State:                 READY
      Severity:              LOW
      Threat exceptions:     1:1, 1:2
      Traffic logs:          off
      Network:               projects/p/global/networks/default
      Mirror target:         127.77.0.1, UDP port 4789 (VXLAN)
      VNI:                   4
      Created:               2026-11-27 12:00:00 UTC

    Sensor
      Health:                DEGRADED
      Driver:                afpacket
      Suricata process:      77
      Restarts:              1
      Own networks:          10.0.0.0/8, !10.9.0.0/16

    Packets
      Received:              123,456 (42.9 MiB)
      Dropped:               1,234 (1.00 %)
        in the packet ring:  1,200
        in the socket:       0
        in the queue:        0
        by a crash:          30
        by a stop:           4
        at other interfaces: 0
        in Suricata:         0
      Malformed:             7
      Foreign VNI:           not counted: the kernel drops them
      Refused sender:        0
      Not inspectable:       12

    Loss
      Last minute:           38.00 %
      Last hour:             19.00 % (380 of 2,000 packets)
      Minutes with loss:     2026-11-27 16:09:00 UTC  38.00 % (380 of 1,000 packets)

    Blind time
      In all:                1 min 35 s
      Newest first:          2026-11-27 16:09:56 UTC, for 3.2 s until now: Suricata ended (killed by SIGKILL)
                             2026-11-27 15:00:00 UTC, for 1 min 32 s: the server was stopped

    Alerts
      Seen:                  11
        stored:              8
        below severity:      2
        excepted:            0
        lost:                1
      Suricata's count:      11
        discarded:           3
        suppressed:          0
      Records on disk:       8 threats, 0 of traffic
      Records deleted:       0 threats, 0 of traffic

    Rules
      Rule set:              default, version abc
      Loaded:                98
      Refused:               2
                             rule 3 of a.rules (line 3): no
                             rule 9 of a.rules (line 9): no
      Skipped:               0

    Reasons
      - packets dropped: 38.0 % of the last 60 s
      - the newest rule set was refused
    "
  `);
});

test('43-3 what a newer server says is shown, and what it does not say has no row', () => {
  const health = {status: 'WAITING', reasons: ['no sensor'], engine: {version: '9'}} as unknown as EndpointHealth;
  expect(endpointText({name: 'e'}, health, NOW_MS)).toMatchInlineSnapshot(`
    "Endpoint
      Name:                  e
      Traffic logs:          off

    Sensor
      Health:                WAITING

    Other
      engine:                {"version":"9"}

    Reasons
      - no sensor
    "
  `);
});

test('43-3 of many blind times and minutes with loss the newest are shown, and how many more there are', () => {
  const at = (minute: number): string => `2026-11-27T15:${String(minute).padStart(2, '0')}:00Z`;
  const health = {
    lossPerMinute: Array.from({length: 12}, (_, i) => ({minute: at(i), received: 100, dropped: i})),
    blind: Array.from({length: 15}, (_, i) => ({from: at(i), until: at(i + 1), why: 'the server was stopped'})),
  } as unknown as EndpointHealth;
  const lines = endpointText({name: 'e'}, health, NOW_MS).split('\n');
  expect(lines.find(line => line.includes('Minutes with loss'))).toContain('2026-11-27 15:11:00 UTC');
  expect(lines.find(line => line.includes('Newest first'))).toContain('2026-11-27 15:14:00 UTC, for 1 min: ');
  expect(lines.filter(line => line.includes('more: see --json')).map(line => line.trim())).toEqual([
    'and 1 more: see --json',
    'and 5 more: see --json',
  ]);
});

test('43-7 the version of Suricata, the age of its rules, its confinement and notes are shown', () => {
  const health: EndpointHealthMessage = {
    ...HEALTH,
    engineVersion: '7.0.10',
    rulesUpdated: '2026-10-01T00:00:00.000Z',
    rulesAgeDays: 57,
    confinement: {uid: 65_534, landlock: true, memoryMaxBytes: 2 ** 31},
    notes: ['rules of https://rules.example/a.tar.gz were last updated 57 days ago: run palisade rules update'],
  };
  const text = endpointText(ENDPOINT, health as unknown as EndpointHealth, NOW_MS);
  for (const line of [
    /^ {2}Suricata version: +7\.0\.10$/m,
    /^ {2}Updated: +2026-10-01 00:00:00 UTC \(57 days ago\)$/m,
    /^ {2}Confined by: +uid 65534, Landlock, memory 2.+, no processor limit$/m,
    /^Notes\n {2}- rules of https:/m,
  ])
    expect(text).toMatch(line);
  expect(text).not.toContain('Other');
});

test('43-1 a driver that sees a part of the malformed packets shows no 0 that looks like none', () => {
  const shown = (malformed: number): string => {
    const packets = {...HEALTH.packets, malformed, notCounted: {malformed: 'the kernel drops them'}};
    return endpointText(ENDPOINT, {...HEALTH, packets} as unknown as EndpointHealth, NOW_MS);
  };
  expect(shown(0)).toMatch(/^ {2}Malformed: +not counted: the kernel drops them$/m);
  expect(shown(3)).toMatch(/^ {2}Malformed: +3; others are not counted: the kernel drops them$/m);
});

test('43-6 an exception that matches no signature is shown once besides the list of exceptions', () => {
  const reasons = ['threatExceptions: "1:4711" matches no signature of the active rule set and hides nothing'];
  const health = {...HEALTH, reasons, unknownExceptions: ['1:4711']} as unknown as EndpointHealth;
  expect(endpointText({name: 'e'}, health, NOW_MS).match(/1:4711/g)).toHaveLength(1);
});

test('44-5 each exporter has a line: state, receiver, what it sent, what waits and the last error', () => {
  const counts = {sent: 1200, retried: 3, refused: 0, missed: 0, truncated: 0};
  const health: EndpointHealthMessage = {
    ...HEALTH,
    exporters: [
      {
        ...{name: 'siem', receiver: 'syslog+tcp://logs.example:514', state: 'OK', lagRecords: 0, lagSeconds: 0},
        ...{...counts, lastError: ''},
      },
      {
        ...{name: 'hook', receiver: 'https://h.example/…', state: 'RETRYING', lagRecords: 40, lagSeconds: 90},
        ...{...counts, refused: 1, lastError: 'the receiver answered 503'},
      },
    ],
  };
  const text = endpointText(ENDPOINT, health as unknown as EndpointHealth, NOW_MS);
  expect(text).toMatch(/^Exporters$/m);
  expect(text).toMatch(/^ {2}siem: +OK: syslog\+tcp:\/\/logs\.example:514, 1,200 sent$/m);
  expect(text).toMatch(
    /^ {2}hook: +RETRYING: .*, 1,200 sent, 40 waiting for .*, 1 refused, the receiver answered 503$/m,
  );
  expect(text).not.toContain('Other');
});

test('44-1 records that were deleted are shown once: all, of them those that made room, and the others', () => {
  const shown = (more: Partial<EndpointHealthMessage>): string[] => {
    const lines = endpointText(ENDPOINT, {...HEALTH, ...more} as unknown as EndpointHealth, NOW_MS).split('\n');
    return lines.slice(lines.findIndex(text => text.includes('Records on disk'))).slice(0, 4);
  };
  const records = {threats: 20, traffic: 7, threatsDropped: 1_090, trafficDropped: 5};
  expect(shown({records, recordsEvicted: {LOW: 1_080, MEDIUM: 4, TRAFFIC: 5}})).toEqual([
    '  Records on disk:       20 threats, 7 of traffic',
    '  Records deleted:       1,090 threats, 5 of traffic',
    '    to make room:        LOW 1,080, MEDIUM 4, TRAFFIC 5',
    '    too old or damaged:  6 threats, 0 of traffic',
  ]);
  expect(shown({records: {...records, threatsDropped: 4, trafficDropped: 0}, recordsEvicted: {LOW: 4}})).toEqual([
    '  Records on disk:       20 threats, 7 of traffic',
    '  Records deleted:       4 threats, 0 of traffic',
    '    to make room:        LOW 4',
    '',
  ]);
});

test('44-6 the sample of flows is shown, with what was left out, and has no row of its own elsewhere', () => {
  const shown = (trafficSampling: EndpointHealthMessage['trafficSampling']): string[] =>
    endpointText(ENDPOINT, {...HEALTH, trafficSampling} as unknown as EndpointHealth, NOW_MS)
      .split('\n')
      .filter(line => /sampl/i.test(line));
  expect(shown({oneOf: 10, flowsLeftOut: 12_345})).toEqual([
    '  Traffic sample:        1 of 10 flows recorded, 12,345 flows left out',
  ]);
  expect(shown({oneOf: 1, flowsLeftOut: 3})).toEqual([
    '  Traffic sample:        every flow recorded; 3 flows were left out before',
  ]);
  expect(shown(undefined)).toEqual([]);
});
