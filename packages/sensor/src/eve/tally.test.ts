// SPDX-License-Identifier: Apache-2.0
import type {Severity} from '@palisade/ids-wire';
import {SEVERITIES} from '@palisade/ids-wire';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {SensorSpec} from '../ports.ts';
import {type Signature, toSignature} from '../rules/parse-rule.ts';
import {alertLine, flowLine, statsLine} from '../testing/eve-lines.ts';
import {markerLine} from './eve-record.ts';
import {Tally, type TallyOptions, ZERO_COUNTERS} from './tally.ts';

const SPEC: SensorSpec = {
  endpoint: 'projects/p/locations/l/endpoints/e',
  network: 'n',
  ip: '127.0.0.1',
  vni: 1,
  severity: 'INFORMATIONAL',
  threatExceptions: [],
  trafficLogs: false,
};
const RULES = new Map<string, Signature>(
  ['Critical', 'Major', '', 'Minor', 'Informational'].flatMap((word, index) => {
    const severity = word === '' ? 'priority:2' : `metadata:signature_severity ${word}`;
    const signature = toSignature(`alert ip any any -> any any (msg:"r"; ${severity}; sid:${index + 1};)`);
    return signature === undefined ? [] : [[signature.id, signature] as const];
  }),
);
const newTally = (spec: Partial<SensorSpec> = {}, more: Partial<TallyOptions> = {}): Tally =>
  new Tally({
    spec: {...SPEC, ...spec},
    counters: ZERO_COUNTERS,
    signature: id => RULES.get(id),
    keepsEvidence: true,
    repeatWindowMs: 5000,
    repeatWindowsMax: 100,
    ...more,
  });

describe('Tally', () => {
  test('44-2 evidence: the first event of a record, with its first write only', () => {
    const tally = newTally();
    const first = alertLine({sid: 1, ms: 0});
    tally.line(first, 'a');
    tally.line(alertLine({sid: 1, ms: 1}), 'b');
    expect(tally.take()?.threats).toMatchObject([{id: 'a', record: {repeat_count: '2'}, evidence: first}]);
    tally.line(alertLine({sid: 1, ms: 2}), 'c');
    const again = tally.take()?.threats;
    expect(again).toMatchObject([{id: 'a', record: {repeat_count: '3'}}]);
    expect(again?.[0]).not.toHaveProperty('evidence');
  });

  test('44-2 --evidence none: no record has evidence', () => {
    const tally = newTally({}, {keepsEvidence: false});
    tally.line(alertLine({sid: 1, ms: 0}), 'a');
    expect(tally.take()?.threats[0]).not.toHaveProperty('evidence');
  });

  test('I-116 windows: 5 s from the first alert, by threat, source, destination and application', () => {
    const tally = newTally();
    tally.line(alertLine({sid: 1, ms: 0}), 'a');
    tally.line(alertLine({sid: 1, ms: 4999, sourcePort: 9}), 'b');
    tally.line(alertLine({sid: 1, ms: 5000}), 'c');
    tally.line(alertLine({sid: 2, ms: 5000}), 'd');
    tally.line(alertLine({sid: 1, ms: 5001, source: '10.0.0.9'}), 'e');
    tally.line(alertLine({sid: 1, ms: 5002, application: 'dns'}), 'f');
    expect(tally.take()?.threats.map(({id, record}) => [id, record.repeat_count])).toEqual([
      ['a', '2'],
      ['c', '1'],
      ['d', '1'],
      ['e', '1'],
      ['f', '1'],
    ]);
  });

  test('43-1 alerts and flows of the mirror itself make no records, and its alerts are counted as filtered', () => {
    const tally = newTally({ip: '127.77.0.9', trafficLogs: true});
    const ofMirror = (json: string, port: number): string =>
      JSON.stringify({...JSON.parse(json), dest_ip: '127.77.0.9', dest_port: port, proto: 'UDP'});
    tally.line(ofMirror(alertLine({sid: 1, ms: 0}), 4789), 'a');
    tally.line(ofMirror(flowLine(), 6081), 'b');
    tally.line(alertLine({sid: 1, ms: 1}), 'c');
    tally.line(ofMirror(flowLine(), 53), 'd');
    const taken = tally.take();
    expect([taken?.threats.map(({id}) => id), taken?.traffic.map(({id}) => id)]).toEqual([['c'], ['d']]);
    expect(tally.counters).toEqual({seen: 2, stored: 1, filtered: 1, excepted: 0, lost: 0});
  });

  test('a record that was written is written again under its id with the new count', () => {
    const tally = newTally();
    tally.line(alertLine({sid: 1, ms: 0}), 'a');
    expect(tally.take()?.threats.map(({id, record}) => [id, record.repeat_count])).toEqual([['a', '1']]);
    expect(tally.take()).toBeUndefined();
    tally.line(alertLine({sid: 1, ms: 10}), 'b');
    expect(tally.take()?.threats.map(({id, record}) => [id, record.repeat_count])).toEqual([['a', '2']]);
  });

  test("F-08 packets that Suricata did not inspect or decode add up over its runs, also where a run's beginning was not read", () => {
    const tally = newTally();
    const counts = (): number[] => [tally.engine.kernelDrops, tally.engine.uninspected, tally.engine.undecoded];
    tally.line(statsLine(0, {capture: {kernel_drops: 7}, decoder: {pkts: 9, invalid: 1}}), 'a');
    tally.engine.forget(); // of an earlier server
    expect(counts()).toEqual([0, 0, 0]);
    const groups = {flow: {memcap: 1, get_used_failed: 2}, tcp: {ssn_memcap_drop: 4, segment_memcap_drop: 8}};
    tally.line(statsLine(0, {capture: {kernel_drops: 8}, ...groups, decoder: {pkts: 9, invalid: 3}}), 'b');
    expect(counts()).toEqual([1, 15, 2]);
    tally.line(markerLine({run: 'next'}), 'c');
    tally.line(statsLine(0, {capture: {kernel_drops: 30}}), 'd');
    expect(counts()).toEqual([31, 15, 2]);
    tally.line(statsLine(0, {defrag: {max_frag_hits: 5}}), 'e');
    expect(counts()).toEqual([31, 20, 2]);
  });

  test('43-1 frames in VXLAN that Suricata does not look into are counted by themselves, over its runs', () => {
    const tally = newTally();
    const invalid = (count: number) => ({decoder: {invalid: count, event: {vxlan: {unknown_payload_type: count - 1}}}});
    tally.line(statsLine(0, invalid(4)), 'a');
    tally.line(markerLine({run: 'next'}), 'b');
    tally.line(statsLine(0, invalid(3)), 'c');
    expect([tally.engine.undecoded, tally.engine.unknownInner]).toEqual([7, 5]);
  });

  test('open windows are bounded: the oldest is closed, its next alert begins a new record', () => {
    const tally = newTally();
    for (let i = 0; i < 101; i++) tally.line(alertLine({sid: 1, ms: i, source: `10.0.1.${i}`}), `w${i}`);
    tally.take();
    tally.line(alertLine({sid: 1, ms: 200, source: '10.0.1.0'}), 'again');
    tally.line(alertLine({sid: 1, ms: 201, source: '10.0.1.100'}), 'same');
    expect(tally.take()?.threats.map(({id, record}) => [id, record.repeat_count])).toEqual([
      ['again', '1'],
      ['w100', '2'],
    ]);
  });

  test('every alert is stored, filtered or excepted, and repeat counts sum to stored, whatever comes', () => {
    const alert = fc.record({
      sid: fc.integer({min: 1, max: 6}),
      ms: fc.integer({min: 0, max: 30_000}),
      source: fc.constantFrom('10.0.0.1', '10.0.0.2'),
    });
    const change = fc.record({
      severity: fc.constantFrom(...SEVERITIES),
      threatExceptions: fc.subarray(['1', '1:2', '5']),
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(alert, change), {maxLength: 200}), steps => {
        const tally = newTally();
        const records = new Map<string, number>();
        let alerts = 0;
        for (const [index, step] of steps.entries()) {
          if ('sid' in step) {
            tally.line(alertLine(step), `id${index}`);
            alerts++;
          } else tally.update({...SPEC, ...step});
          if (index % 3 === 0)
            for (const {id, record} of tally.take()?.threats ?? []) records.set(id, Number(record.repeat_count));
        }
        for (const {id, record} of tally.take()?.threats ?? []) records.set(id, Number(record.repeat_count));
        const {seen, stored, filtered, excepted, lost} = tally.counters;
        expect([seen, stored + filtered + excepted, lost]).toEqual([alerts, alerts, 0]);
        expect([...records.values()].reduce((sum, count) => sum + count, 0)).toBe(stored);
      }),
      {seed: 20261121, numRuns: 200},
    );
  });

  test.each(SEVERITIES)('I-006 at %s only alerts at or above are stored', (severity: Severity) => {
    const tally = newTally({severity});
    for (const sid of [1, 2, 3, 4, 5]) tally.line(alertLine({sid, ms: sid}), `i${sid}`);
    const above = 5 - SEVERITIES.indexOf(severity);
    expect(tally.counters).toEqual({seen: 5, stored: above, filtered: 5 - above, excepted: 0, lost: 0});
    expect(tally.take()?.threats.map(({record}) => record.threat_id)).toEqual(
      [1, 2, 3, 4, 5].slice(0, above).map(sid => `1:${sid}`),
    );
  });

  test('an alert of a rule that is no longer known takes its data from EVE', () => {
    const tally = newTally();
    tally.line(
      alertLine({sid: 77, ms: 0, category: 'A Network Trojan was detected', priority: 1, severity: 'Critical'}),
      'a',
    );
    tally.line(alertLine({sid: 78, ms: 0, category: 'Own Words', priority: 2}), 'b');
    expect(tally.take()?.threats.map(({record}) => [record.category, record.type, record.alert_severity])).toEqual([
      ['trojan-activity', 'spyware', 'CRITICAL'],
      ['own-words', 'vulnerability', 'MEDIUM'],
    ]);
  });

  test("lost: what Suricata's own count has more than was read in its run", () => {
    const tally = newTally();
    tally.line(statsLine(50), 's'); // of a run whose beginning was not read: no judgement
    tally.line(markerLine({run: 'r1'}), 'm');
    tally.line(alertLine({sid: 1, ms: 0}), 'a');
    tally.line(statsLine(1), 's');
    expect(tally.counters.lost).toBe(0);
    tally.line(statsLine(4), 's');
    tally.line(statsLine(4), 's');
    expect(tally.counters).toEqual({seen: 4, stored: 1, filtered: 0, excepted: 0, lost: 3});
    tally.line(markerLine({run: 'r2'}), 'm');
    tally.line(statsLine(0), 's');
    expect(tally.counters.lost).toBe(3);
  });

  test.each([
    '',
    'x',
    '{"timestamp":"2026-',
    '[]',
    'null',
    '{}',
    '{"event_type":"alert"}',
    '{"event_type":"alert","alert":{"gid":1}}',
  ])('the line %j is counted as unreadable and harms nothing', line => {
    const tally = newTally();
    tally.line(line, 'a');
    expect([tally.unreadable, tally.take()]).toEqual([1, undefined]);
  });

  test('while the disk is nearly full flows make no records and are counted; threats go on', () => {
    const tally = newTally({trafficLogs: true});
    tally.line(flowLine(), 'a');
    const earlier = tally.take()?.traffic ?? [];
    tally.holdTraffic(true);
    tally.line(flowLine(), 'b');
    tally.line(alertLine({sid: 1, ms: 0}), 'c');
    expect(tally.take()).toMatchObject({threats: [{id: 'c'}], traffic: []});
    expect([earlier.length, tally.trafficLeftOut]).toEqual([1, 1]);
    expect([tally.stillWanted(earlier), tally.trafficLeftOut]).toEqual([[], 2]); // taken, and not stored yet
    tally.holdTraffic(false);
    tally.line(flowLine(), 'd');
    expect(tally.take()?.traffic.map(({id}) => id)).toEqual(['d']);
    expect([tally.stillWanted(earlier), tally.trafficLeftOut]).toEqual([earlier, 2]);
    tally.update(SPEC); // no traffic logs wanted: nothing is left out
    tally.holdTraffic(true);
    tally.line(flowLine(), 'e');
    expect(tally.trafficLeftOut).toBe(2);
  });

  test('I-042 flows are records only while traffic logs are on', () => {
    const tally = newTally();
    tally.line(flowLine(), 'a');
    tally.update({...SPEC, trafficLogs: true});
    tally.line(flowLine(), 'b');
    tally.line(flowLine({application: undefined, state: 'new'}), 'c');
    expect(
      tally.take()?.traffic.map(({id, record}) => [id, record.application, record.total_bytes, record.total_packets]),
    ).toEqual([
      ['b', 'http', '700', '7'],
      ['c', 'incomplete', '700', '7'],
    ]);
  });
});
