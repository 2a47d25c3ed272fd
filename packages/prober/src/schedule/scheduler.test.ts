// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {CHECKS_UNDER_WAY_MAX, GROUP_SHARE} from '../limits.ts';
import type {CheckTarget, Outcome} from '../port.ts';
import {targetOf} from '../testing/check-once.ts';
import {ManualTime} from '../testing/manual-time.ts';
import {type ScheduledResult, Scheduler} from './scheduler.ts';
import {seededRandom} from './seeded-random.ts';

const NEVER = Number.POSITIVE_INFINITY;
const PASSED: Outcome = {kind: 'passed', message: ''};

const createLab = ({
  underWayMax = 100,
  random = (): number => 0.5,
  takesMs = 0,
  lateMs = 0,
  hangs = (_target: CheckTarget): boolean => false,
} = {}) => {
  const time = new ManualTime();
  const startedAtMs = time.now();
  const starts: {id: string; atMs: number}[] = [];
  const results: ScheduledResult[] = [];
  const ends: ((outcome: Outcome) => void)[] = [];
  const scheduler = new Scheduler({
    ...{clock: time, random: {next: random}, underWayMax},
    timers: {after: (delayMs, action) => time.after(delayMs + lateMs, action)},
    onResult: result => void results.push(result),
    start: (target, onEnd) => {
      const {id} = target;
      starts.push({id, atMs: time.now() - startedAtMs});
      let isOver = false;
      const end = (outcome: Outcome): void => {
        if (isOver) return;
        isOver = true;
        onEnd(outcome);
      };
      ends.push(end);
      if (hangs(target)) ends.pop();
      else if (takesMs === 0) end(PASSED);
      else if (takesMs !== NEVER) time.after(takesMs, () => end(PASSED));
      return {
        timeOut: afterMs => end({kind: 'failed', message: `timed out after ${afterMs} ms`}),
        cancel: () => end({kind: 'failed', message: 'canceled'}),
      };
    },
  });
  const watch = (number: number, more: Partial<CheckTarget> = {}): void =>
    scheduler.watch({
      number,
      target: targetOf(80, {type: 'tcp'}, {id: `t${number}`, periodMs: 10_000, jitter: 0, ...more}),
    });
  return {time, scheduler, starts, results, ends, watch};
};

describe('when a target is checked', () => {
  test('46-2 a single one at once, then each period, from start to start', () => {
    const {time, starts, watch} = createLab({takesMs: 300});
    watch(1);
    time.advance(25_000);
    expect(starts.map(({atMs}) => atMs)).toEqual([0, 10_000, 20_000]);
  });

  test('46-2 the initial delay comes before the first one only', () => {
    const {time, starts, watch} = createLab();
    watch(1, {delayMs: 3_000});
    time.advance(14_000);
    expect(starts.map(({atMs}) => atMs)).toEqual([3_000, 13_000]);
  });

  test('46-2 jitter lets a check come early by at most its part of the period, never late', () => {
    const {time, starts, watch} = createLab({random: seededRandom(0.3).next});
    watch(1, {jitter: 0.2});
    time.advance(1_000_000);
    const gaps = starts.slice(1).map(({atMs}, i) => atMs - (starts[i]?.atMs ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(8_000);
    expect(Math.min(...gaps)).toBeLessThan(8_200);
    expect(Math.max(...gaps)).toBeGreaterThan(9_800);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(10_001);
  });

  test('46-2 first checks of many are spread, and none waits longer than its period for that', () => {
    const {time, starts, watch} = createLab({random: seededRandom(0.7).next});
    for (let i = 0; i < 5_000; i++) watch(i, {periodMs: 1_000});
    time.advance(1_000);
    const perTenth = Map.groupBy(starts.slice(0, 5_000), ({atMs}) => Math.floor(atMs / 100));
    expect(new Set(starts.map(({id}) => id)).size).toBe(5_000);
    expect(Math.max(...[...perTenth.values()].map(({length}) => length))).toBeLessThan(1_000);
  });

  test('46-2 one that comes later, alone, does not wait for those that were many', () => {
    const {time, starts, watch} = createLab({random: seededRandom(0.7).next});
    for (let i = 0; i < 5_000; i++) watch(i, {periodMs: 1_000});
    time.advance(2_000);
    starts.splice(0);
    watch(9_999, {periodMs: 600_000});
    time.advance(50);
    expect(starts.some(({id}) => id === 't9999')).toBe(true);
  });
});

describe('a check that takes its time', () => {
  test('46-2 has an absolute time-out, and its duration is reported', () => {
    const {time, results, watch} = createLab({takesMs: NEVER});
    watch(1, {timeoutMs: 1_500});
    time.advance(5_000);
    expect(results).toEqual([
      expect.objectContaining({number: 1, kind: 'failed', message: 'timed out after 1500 ms', durationMs: 1_500}),
    ]);
  });

  test('46-2 I4 a thread that was held up does not hold it against the target, but for so long only', () => {
    const {time, results, ends, watch} = createLab({takesMs: NEVER});
    watch(1, {timeoutMs: 1_000});
    watch(2, {timeoutMs: 1_000});
    time.advance(10);
    time.stall(1_300);
    time.advance(1);
    expect(results).toEqual([]);
    ends[0]?.(PASSED);
    time.advance(400);
    expect(results.map(({number, kind, durationMs}) => ({number, kind, durationMs}))).toEqual([
      {number: 1, kind: 'passed', durationMs: 1_311},
      {number: 2, kind: 'failed', durationMs: 1_618},
    ]);
  });

  test('46-2 I1 at most one check of a target is under way; the next follows at once, and nothing is made up for', () => {
    const {time, scheduler, starts, watch} = createLab({takesMs: 25_000});
    watch(1, {timeoutMs: 60_000});
    time.advance(24_999);
    expect([starts.length, scheduler.counts.underWay]).toEqual([1, 1]);
    time.advance(50_002);
    expect(starts.map(({atMs}) => atMs)).toEqual([0, 25_000, 50_000, 75_000]);
  });

  test('46-2 I2 starts that are a little late do not add up', () => {
    const {time, starts, watch} = createLab({lateMs: 100});
    watch(1);
    time.advance(100_500);
    expect(starts.map(({atMs}) => atMs)).toEqual(Array.from({length: 11}, (_, i) => i * 10_000 + 100));
  });

  test('46-2 after a stall of the machine each target is checked once, not once for each missed period', () => {
    const {time, scheduler, starts, watch} = createLab();
    watch(1);
    time.advance(1);
    time.stall(95_000);
    time.advance(5);
    expect(starts).toHaveLength(2);
    expect(scheduler.takeDelays()).toMatchObject({count: 2, maxMs: 85_001});
    expect(scheduler.takeDelays()).toEqual({count: 0, sumMs: 0, maxMs: 0});
  });
});

describe('many at a time', () => {
  test('46-2 beyond the limit they wait in order, are counted, and how late they start is known', () => {
    const {time, scheduler, starts, ends, watch} = createLab({underWayMax: 2, takesMs: NEVER});
    for (let i = 0; i < 5; i++) watch(i, {timeoutMs: 600_000});
    time.advance(100);
    expect(scheduler.counts).toEqual({targets: 5, underWay: 2, waiting: 3});
    ends[0]?.(PASSED);
    ends[1]?.(PASSED);
    expect(starts.map(({id}) => id)).toEqual(['t0', 't1', 't2', 't3']);
    expect(scheduler.counts).toEqual({targets: 5, underWay: 2, waiting: 1});
    expect(scheduler.takeDelays()).toMatchObject({count: 4, maxMs: 98});
    scheduler.forget(4);
    expect(scheduler.counts.waiting).toBe(0);
  });

  test('46-2 a group of 8,192 targets that hang for 300 s holds up no other: one of another group stays on time', () => {
    const {time, scheduler, starts, watch} = createLab({
      ...{underWayMax: CHECKS_UNDER_WAY_MAX, takesMs: 0, random: seededRandom(0.4).next},
      hangs: ({group}) => group === 'slow',
    });
    for (let i = 0; i < 8_192; i++) watch(i, {group: 'slow', timeoutMs: 300_000});
    time.advance(20_000);
    watch(9_999, {group: 'healthy'});
    const fromMs = 20_000;
    time.advance(600_000);
    const own = starts.filter(({id}) => id === 't9999').map(({atMs}) => atMs);
    expect(own).toHaveLength(61);
    expect(Math.max(...own.map((atMs, i) => atMs - fromMs - i * 10_000))).toBeLessThan(10);
    expect(scheduler.counts.underWay).toBe(CHECKS_UNDER_WAY_MAX * GROUP_SHARE);
  });

  test.each([
    {groups: 4, namespaces: 1, targets: 2_048},
    {groups: 100, namespaces: 1, targets: 60},
    {groups: 64, namespaces: 7, targets: 100},
  ])(
    '46-2 $groups groups in $namespaces namespaces of $targets targets that hang for 300 s delay no other group',
    ({groups, namespaces, targets}) => {
      const {time, scheduler, starts, watch} = createLab({
        ...{underWayMax: CHECKS_UNDER_WAY_MAX, takesMs: 20, random: seededRandom(0.4).next},
        hangs: ({group}) => group.startsWith('slow'),
      });
      for (let i = 0; i < groups * targets; i++) {
        const group = i % groups;
        watch(i, {group: `slow${group}`, namespace: `n${group % namespaces}`, timeoutMs: 300_000});
      }
      const near = {group: 'near', namespace: 'n0'};
      const far = {group: 'far', namespace: 'other'};
      const healthy = new Map<string, number[]>();
      for (const [i, of] of [near, far].entries()) {
        for (let n = 0; n < 20; n++) {
          healthy.set(`t${90_000 + i * 100 + n}`, []);
          watch(90_000 + i * 100 + n, of);
        }
      }
      time.advance(20_000);
      starts.splice(0);
      time.advance(400_000);
      for (const {id, atMs} of starts) healthy.get(id)?.push(atMs);
      for (const times of healthy.values()) {
        const gaps = times.slice(1).map((atMs, i) => atMs - (times[i] ?? 0));
        expect(times.length).toBeGreaterThanOrEqual(39);
        expect(Math.max(...gaps)).toBeLessThan(10_100);
      }
      expect(scheduler.counts.waiting).toBeGreaterThan(0);
      expect(scheduler.counts.underWay).toBeLessThanOrEqual(CHECKS_UNDER_WAY_MAX);
    },
    60_000,
  );

  test('46-2 checks that end before they have started do not pile up on the stack', () => {
    const {time, scheduler, results, watch} = createLab({underWayMax: 1});
    for (let i = 0; i < 20_000; i++) watch(i, {periodMs: 1});
    time.advance(1);
    expect(results.length).toBeGreaterThanOrEqual(20_000);
    scheduler.stop();
    expect([scheduler.counts.targets, time.pending]).toEqual([0, 0]);
  });
});

describe('the end of a target', () => {
  test('46-2 I3 what is under way is canceled and not reported', () => {
    const {time, scheduler, results, ends, watch} = createLab({takesMs: NEVER});
    watch(1);
    time.advance(1);
    scheduler.forget(1);
    ends[0]?.(PASSED);
    expect(scheduler.counts).toEqual({targets: 0, underWay: 0, waiting: 0});
    time.advance(60_000);
    expect([results, time.pending]).toEqual([[], 0]);
  });

  test('46-2 stop ends everything, and no timer is left', () => {
    const {time, scheduler, watch} = createLab({takesMs: NEVER});
    for (let i = 0; i < 10; i++) watch(i, {delayMs: i * 1_000});
    time.advance(3_500);
    scheduler.stop();
    expect([scheduler.counts, time.pending]).toEqual([{targets: 0, underWay: 0, waiting: 0}, 0]);
  });
});
