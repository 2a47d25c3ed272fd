// SPDX-License-Identifier: Apache-2.0
/** Which level and flow a request belongs to, the seats of each level, and the bounds of users. */
import {describe, expect, test} from 'vitest';
import {ManualTime} from '../testing/manual-time.ts';
import {Fairness} from './fairness.ts';
import type {Asked} from './levels.ts';
import {UserBound} from './user-bound.ts';

const time = new ManualTime();
const fairness = new Fairness({seats: 600, clock: time, timers: time});

const AUTHENTICATED = 'system:authenticated';
const accounts = (namespace: string) => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
  AUTHENTICATED,
];
const asked = (name: string, groups: readonly string[], more: Partial<Asked> = {}): Asked => ({
  user: {name, groups},
  path: '/api/v1/endpoints',
  verb: 'list',
  heartbeats: false,
  from: '192.0.2.1',
  ...more,
});
const LEASE = {heartbeats: true, verb: 'update'};

const ROWS: readonly [title: string, asked: Asked, schema: string, level: string, flow: string][] = [
  ['an administrator', asked('root', ['system:masters', AUTHENTICATED]), 'exempt', 'exempt', 'root'],
  ['health, of anybody', asked('system:anonymous', ['system:unauthenticated'], {path: '/livez/ping', verb: 'get'}), 'probes', 'exempt', 'system:anonymous 192.0.2.1'],
  ['the renewal of a lease', asked('machine', [AUTHENTICATED], LEASE), 'heartbeats', 'leader-election', 'machine'],
  ['a registration', asked('machine', [AUTHENTICATED], {...LEASE, verb: 'patch'}), 'heartbeats', 'leader-election', 'machine'],
  ['a list of leases is no heartbeat', asked('machine', [AUTHENTICATED], {...LEASE, verb: 'list'}), 'global-default', 'global-default', 'machine'],
  ['a lease without a credential', asked('system:anonymous', ['system:unauthenticated'], LEASE), 'catch-all', 'catch-all', 'system:anonymous 192.0.2.1'],
  ['a node', asked('system:node:n1', ['system:nodes', AUTHENTICATED]), 'system-nodes', 'system', 'system:node:n1'],
  ['the controller manager', asked('system:kube-controller-manager', [AUTHENTICATED]), 'kube-controller-manager', 'workload-high', 'system:kube-controller-manager'],
  ['a service account of kube-system', asked('system:serviceaccount:kube-system:x', accounts('kube-system')), 'kube-system-service-accounts', 'workload-high', 'system:serviceaccount:kube-system:x'],
  ['another service account', asked('system:serviceaccount:shop:x', accounts('shop')), 'service-accounts', 'workload-low', 'system:serviceaccount:shop:x'],
  ['a user', asked('jane', ['dev', AUTHENTICATED]), 'global-default', 'global-default', 'jane'],
  ['nobody', asked('system:anonymous', ['system:unauthenticated'], {from: '192.0.2.7'}), 'catch-all', 'catch-all', 'system:anonymous 192.0.2.7'],
]; // biome-ignore format: a table

describe('flow schemas', () => {
  test.each(ROWS)('%s', (_title, request, schema, level, flow) => {
    const lane = fairness.laneOf(request);
    expect([lane.counts.schema, lane.level.name, lane.flow]).toEqual([schema, level, flow]);
  });

  test('each level has its part of the seats, at least one', () => {
    const seatsOf = (seats: number) =>
      Object.fromEntries(
        new Fairness({seats, clock: time, timers: time}).levels.map(({level}) => [level.name, level.seats]),
      );
    expect(seatsOf(600)).toEqual({
      exempt: 0,
      'leader-election': 30,
      system: 88,
      'workload-high': 118,
      'workload-low': 293,
      'global-default': 59,
      'catch-all': 15,
    });
    expect(Object.values(seatsOf(2))).toEqual([0, 1, 1, 1, 1, 1, 1]);
  });

  test('an administrator and a probe enter while every seat of every level is taken', async () => {
    const full = new Fairness({seats: 2, clock: time, timers: time});
    const work = {width: 1, mutates: false};
    const enter = (request: Asked) => full.enter(full.laneOf(request), work, () => () => {});
    for (const [, request] of ROWS) void enter(request);
    const waits = ROWS.map(([title, request]) => ({title, waits: enter(request) instanceof Promise}));
    expect(waits.filter(row => !row.waits).map(({title}) => title)).toEqual(['an administrator', 'health, of anybody']);
  });
});

describe('bounds of users', () => {
  const jane = {name: 'jane', groups: [AUTHENTICATED]};
  const admin = {name: 'root', groups: ['system:masters']};

  test('one user has so many, another one still gets one, and an end makes room', () => {
    let refusals = 0;
    const bound = new UserBound({what: 'watches', max: 100, perUserMax: 2, onRefused: () => refusals++});
    const first = bound.take(jane);
    bound.take(jane);
    expect(bound.fault(jane)).toBe('too many watches of user "jane": limit is 2; close some, then try again');
    expect(bound.fault({...jane, name: 'bob'})).toBeUndefined();
    first();
    expect([bound.fault(jane), refusals, bound.count]).toEqual([undefined, 1, 1]);
  });

  test('administrators get in when others have all that they may, up to the total', () => {
    const bound = new UserBound({what: 'watches', max: 20, perUserMax: 50, onRefused: () => {}});
    for (let i = 0; i < 19; i++) bound.take({...jane, name: `u${i}`});
    expect(bound.fault(jane)).toBe('too many watches: limit is 19');
    expect(bound.fault(admin)).toBeUndefined();
    bound.take(admin);
    expect(bound.fault(admin)).toBe('too many watches: limit is 20');
  });
});
