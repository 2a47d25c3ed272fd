// SPDX-License-Identifier: Apache-2.0
import type {EndpointHealthMessage, ExporterHealth, RuleSetMessage} from '@palisade/ids-wire';
import {expect, test} from 'vitest';
import {toGroupRow} from '../../groups/model/group-row.ts';
import {alertBars, barText, firstHour, HOURS, scaleTop, severitySums, threatsLink} from './alerts.ts';
import {firstOfEach, type Looked, needsAttention, STUCK_MS} from './attention.ts';
import {sumSets, toSetRow} from './set-row.ts';

const NOW = Date.parse('2026-11-28T12:30:00Z');
const set = (name: string, ready: number, notReady: number, deletionTimestamp?: string) =>
  toSetRow({
    metadata: {name, namespace: 'shop', ...(deletionTimestamp === undefined ? {} : {deletionTimestamp})},
    subsets: [
      {
        addresses: Array.from({length: ready}, (_, i) => ({ip: `10.0.0.${i}`})),
        notReadyAddresses: Array.from({length: notReady}, (_, i) => ({ip: `10.0.1.${i}`})),
      },
    ],
  });
const group = (name: string, state: string, conditions: object[] = []) =>
  toGroupRow({
    metadata: {name, namespace: 'shop'},
    status: {
      ready: 1,
      total: 2,
      conditions: conditions as never,
      members: [{ip: '10.0.1.0', ports: [{port: 80, state: state as 'Ready', lastError: 'refused'}]}],
    },
  });
const health = (id: string, more: Partial<EndpointHealthMessage>): EndpointHealthMessage => ({
  endpoint: `projects/p/locations/l/endpoints/${id}`,
  state: 'READY',
  status: 'READY',
  reasons: [],
  records: {threats: 0, traffic: 0, threatsDropped: 0, trafficDropped: 0},
  ...more,
});
const NOTHING: Looked = {
  ...{sets: [], groups: [], healths: [], ruleSets: [], openCritical: 0},
  ...{parent: 'projects/-/locations/-', now: NOW},
};
const found = (looked: Partial<Looked>) =>
  needsAttention({...NOTHING, ...looked}).map(({kind, subject}) => `${kind}: ${subject}`);

test('49-3 many sets that are down leave room for other kinds of problems', () => {
  const sets = Array.from({length: 30}, (_, i) => set(`down-${i}`, 0, 1));
  const all = needsAttention({...NOTHING, sets, openCritical: 2});
  expect(all).toHaveLength(31);
  expect(firstOfEach(all).map(({kind}) => kind)).toEqual([...Array(4).fill('no member ready'), 'critical alerts']);
});

test('49-3 nothing needs attention where all is well; an empty set and a fresh deletion do not', () => {
  const fresh = new Date(NOW - STUCK_MS + 1).toISOString();
  const sets = [set('web', 2, 0), set('empty', 0, 0), set('going', 1, 0, fresh)];
  expect(found({sets, groups: [group('web', 'Ready')], healths: [health('a', {})]})).toEqual([]);
});

test.each([
  [1, 'The only member is not ready'],
  [2, 'None of 2 members is ready'],
])('49-3 no member of %i is ready, in words', (total, text) =>
  expect(needsAttention({...NOTHING, sets: [set('down', 0, total)]})).toMatchObject([{text}]),
);

test('49-3 the most urgent comes first, over both APIs', () => {
  const exporter: ExporterHealth = {
    ...{name: 'siem', receiver: 'tcp://siem:514', lagRecords: 3, lagSeconds: 9, lastError: 'refused'},
    ...{sent: 0, retried: 1, refused: 0, missed: 0, truncated: 0},
    state: 'RETRYING',
  };
  const looked: Partial<Looked> = {
    sets: [set('part', 1, 1), set('down', 0, 2), set('held', 1, 0, new Date(NOW - STUCK_MS).toISOString())],
    groups: [group('checked', 'NotReady', [{type: 'Panic', status: 'True', message: 'below 50 %'}])],
    healths: [
      health('bad', {status: 'DEGRADED', reasons: ['No packets.'], exporters: [exporter]}),
      health('dead', {status: 'FAILED', reasons: ['Suricata ended.'], exporters: [exporter]}),
      health('lossy', {packetLossRatio: 0.02}),
      health('new', {status: 'WAITING', state: 'CREATING'}),
    ],
    ruleSets: [{ruleSetId: 'own', name: 'r', refused: 'line 3', version: ''} as RuleSetMessage],
    openCritical: 4,
  };
  expect(found(looked)).toEqual([
    'sensor failed: p/l/dead',
    'no member ready: shop/down',
    'critical alerts: 4 critical threats',
    'panic: shop/checked',
    'loss: p/l/lossy',
    'sensor: p/l/bad',
    'rules: Rule set own',
    'checks: shop/checked',
    'partly ready: shop/part',
    'exporter: siem',
    'deletion: shop/held',
  ]);
});

test('49-3 a set of a group is reported once: as down, or with the errors of its checks', () => {
  const groups = [group('web', 'NotReady')];
  expect(found({groups, sets: [set('web', 0, 2)]})).toEqual(['no member ready: shop/web']);
  const [only, ...more] = needsAttention({...NOTHING, groups, sets: [set('web', 1, 1)]});
  expect(more).toEqual([]);
  expect(only).toMatchObject({text: 'Checks fail at 10.0.1.0 80: refused', to: '/groups/shop/web?failing=1'});
});

test('49-3 sums of sets: the least ready of the failing ones first', () => {
  const sums = sumSets([set('a', 2, 0), set('b', 1, 1), set('c', 0, 3), set('d', 0, 0)]);
  expect(sums).toMatchObject({sets: 4, empty: 1, ready: 3, total: 7});
  expect(sums.failing.map(({name}) => name)).toEqual(['c', 'b']);
});

test('49-3 a bar for each of 24 hours, with links by severity and hour', () => {
  const since = firstHour(NOW);
  const histogram = [{startTime: '2026-11-28T12:00:00Z', records: 2, alerts: 5, severities: {HIGH: 1, CRITICAL: 4}}];
  const bars = alertBars({total: {records: 2}, histogram}, since);
  const last = bars.at(-1);
  expect(bars).toHaveLength(HOURS);
  expect(last).toMatchObject({total: 5, parts: [{severity: 'CRITICAL'}, {severity: 'HIGH'}]});
  expect(last && barText(last)).toMatch(/^\d\d:00 to \d\d:00: 5 alerts, 4 critical, 1 high$/);
  expect(severitySums(bars).map(({alerts}) => alerts)).toEqual([4, 1, 0, 0, 0]);
  const query = new URLSearchParams(threatsLink('projects/p/locations/-', 'HIGH', last).split('?')[1]);
  expect(Object.fromEntries(query)).toEqual({
    in: 'projects/p/locations/-/endpoints/-',
    q: 'alert_severity=HIGH',
    from: '2026-11-28T12:00:00.000Z',
    to: '2026-11-28T13:00:00.000Z',
  });
  expect([0, 1, 3, 7, 12, 999].map(scaleTop)).toEqual([1, 1, 5, 10, 20, 1000]);
});
