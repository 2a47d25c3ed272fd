// SPDX-License-Identifier: Apache-2.0
import type {EndpointHealthMessage} from '@palisade/ids-wire';
import {expect, test} from 'vitest';
import {triedText} from './exceptions.ts';
import {toSeries} from './figures.ts';
import {blindTimes} from './health.ts';
import {newestDeletion, newestFirst, outcomeOf, shownOperation} from './operations.ts';
import {matchingRows, needsAttention, toEndpointRow} from './row.ts';
import {ruleFilter, ruleIdsFilter, ruleSetOf} from './rules.ts';

const NAME = 'projects/p/locations/local/endpoints/e';
const HEALTH = {
  ...{endpoint: NAME, state: 'READY', status: 'DEGRADED', reasons: ['loses packets'], packetLossRatio: 0.02},
  lossPerMinute: [{minute: '2026-11-28T10:00:00Z', received: 600, dropped: 12}],
} as unknown as EndpointHealthMessage;
const ENDPOINT = {
  ...({name: NAME, network: 'projects/p/global/networks/prod', severity: 'HIGH', state: 'READY'} as const),
  labels: {team: 'shop'},
};

test('49-3 a row joins an endpoint with its health, its alerts and what happens to it', () => {
  const groups = [
    {key: NAME, records: 2, alerts: 5, highestSeverity: 'CRITICAL', firstTime: '', lastTime: ''},
  ] as const;
  const running = [{name: 'o', metadata: {target: NAME, statusMessage: 'starting Suricata'}}];
  const row = toEndpointRow(ENDPOINT, HEALTH, {total: {records: 2}, groups}, running);
  expect(row).toMatchObject({project: 'p', id: 'e', rate: 10, loss: 0.02, threats: 5, worst: 'CRITICAL'});
  expect(row.progress).toBe('starting Suricata');
  const unknown = toEndpointRow(ENDPOINT, undefined, undefined, []);
  expect(unknown).toMatchObject({rate: undefined, loss: undefined, threats: undefined});
  expect([row, unknown].map(needsAttention)).toEqual([true, false]);
  const found = (q: string, severity = '', attention = false) =>
    matchingRows([row, unknown], {q, severity, attention}).length;
  expect([found('TEAM=shop prod'), found('team=other'), found('', 'LOW'), found('', 'HIGH', true)]).toEqual([
    2, 0, 0, 1,
  ]);
});

test('49-3 steps without a sensor are gaps, and counts become rates', () => {
  const at = (second: number): string => new Date(second * 1_000).toISOString();
  const samples = [
    {time: at(10), received: 100, bytes: 1_000, dropped: 0},
    {time: at(30), received: 200, bytes: 2_000, dropped: 50},
    {time: at(40), received: 0, bytes: 0, dropped: 0},
  ];
  expect(toSeries({endpoint: NAME, step: '10s', samples}, 5_000, 55_000)).toEqual({
    times: [10_000, 20_000, 30_000, 40_000],
    packetsPerSecond: [10, null, 20, 0],
    bitsPerSecond: [800, null, 1_600, 0],
    lossPercent: [0, null, 25, 0],
  });
});

test('49-3 a time without inspection that lasts counts until now', () => {
  const blind = [
    {from: '2026-11-28T10:00:00Z', until: '2026-11-28T10:00:30Z', why: 'restart'},
    {from: '2026-11-28T11:00:00Z', why: 'crash'},
  ];
  const seconds = blindTimes(blind, Date.parse('2026-11-28T11:01:00Z')).map(one => [one.why, one.seconds]);
  expect(seconds).toEqual([
    ['crash', 60],
    ['restart', 30],
  ]);
});

test('49-3 the operation that runs is shown, or the failed one of the address', () => {
  const done = {name: 'p/operations/a', done: true, metadata: {createTime: '2026-11-28T10:00:00Z'}};
  const failed = {name: 'p/operations/b', done: true, error: {code: 8}, metadata: {createTime: '2026-11-28T11:00:00Z'}};
  const cancelled = {name: 'p/operations/c', done: true, error: {code: 1}};
  const running = {name: 'p/operations/d'};
  expect([done, failed, cancelled, running].map(outcomeOf)).toEqual(['Done', 'Failed', 'Cancelled', 'Running']);
  expect(shownOperation([done, failed, running], 'b')).toBe(running);
  expect(shownOperation([done, failed], 'b')).toBe(failed);
  expect([shownOperation([done, failed], 'a'), shownOperation([failed], '')]).toEqual([undefined, undefined]);
  expect(newestFirst([done, failed])).toEqual([failed, done]);
});

test('49-3 filters of rules keep what was typed as one part; previews say what is hidden', () => {
  expect(ruleSetOf(NAME, 'default')).toBe('projects/p/locations/local/ruleSets/default');
  expect([ruleFilter(' ', ''), ruleFilter('a OR b', 'SKIPPED')]).toEqual([undefined, '(a OR b) AND state=SKIPPED']);
  expect([ruleIdsFilter(['7', '3:8', 'T-1']), ruleIdsFilter(['T-1'])]).toEqual([
    'ruleId="1:7" OR ruleId="3:8"',
    undefined,
  ]);
  const tried = {endpoint: NAME, alerts: 1_000, hidden: 12, remaining: {}, hiddenBefore: 0, rulesKnown: true};
  const exceptions = [
    {exception: '1:7', name: 'SQL injection', hidden: 12},
    {exception: '9', hidden: 0, warning: 'matches no signature'},
  ];
  expect(triedText({...tried, exceptions})).toBe(
    'Would have hidden 12 of the last 1,000 alerts (SQL injection). 9: matches no signature',
  );
});

test('49-3 an endpoint counts as deleted if its newest operation is a deletion that has not failed', () => {
  const of = (verb: string, createTime: string, more = {}) => ({
    name: `o/${createTime}`,
    metadata: {verb, createTime},
    ...more,
  });
  const removal = of('delete', '2', {done: true});
  expect(newestDeletion([of('create', '1', {done: true}), removal])).toBe(removal);
  expect(newestDeletion([of('create', '3'), removal])).toBeUndefined();
  expect(newestDeletion([of('delete', '4', {done: true, error: {code: 9}}), removal])).toBeUndefined();
  expect(newestDeletion([])).toBeUndefined();
});
