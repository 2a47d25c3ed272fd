// SPDX-License-Identifier: Apache-2.0
/** Each right is checked in every round, once; its streams end when it is gone, and no other stream does. */
import {beforeEach, describe, expect, test} from 'vitest';
import {RIGHTS} from '../base/limits.ts';
import {type Log, silentLog} from '../base/log.ts';
import {ManualTime} from '../testing/manual-time.ts';
import {type Kept, type LostRight, OpenRights} from './open-rights.ts';

const FORBIDDEN: LostRight = {reason: 'forbidden', error: new Error('not any more')};

let time: ManualTime;
let rights: OpenRights;
let lines: [level: string, fields: Record<string, unknown>][];
/** Keys of rights that are gone, and how often each was checked. */
let gone: Set<string>;
let checks: Map<string, number>;
/** What a check of a key does in place of an answer. */
let odd: Map<string, () => Promise<undefined>>;
/** Names of streams that were ended, with the reason. */
let ended: string[];

beforeEach(() => {
  time = new ManualTime();
  lines = [];
  const log: Log = {
    ...silentLog,
    info: fields => lines.push(['info', fields as Record<string, unknown>]),
    error: fields => lines.push(['error', fields as Record<string, unknown>]),
  };
  rights = new OpenRights({timers: time, clock: time, log});
  gone = new Set();
  checks = new Map();
  odd = new Map();
  ended = [];
});

const open = (name: string, key: string): Kept =>
  rights.keep({
    key,
    path: `/${key}`,
    users: {user: 'jane'},
    check: async () => {
      checks.set(key, (checks.get(key) ?? 0) + 1);
      const other = odd.get(key);
      if (other !== undefined) return other();
      return gone.has(key) ? FORBIDDEN : undefined;
    },
    end: ({reason}) => void ended.push(`${name} ${reason}`),
  });

/** Work that was begun is done: it takes turns of the event loop, never time. */
const rest = async (): Promise<void> => {
  for (let turns = 0; turns < 10; turns++) await new Promise(resolve => setImmediate(resolve));
};

const round = async (): Promise<void> => {
  time.advance(RIGHTS.roundMs);
  await rest();
};

test('a round checks each right once, and ends the streams of those that are gone', async () => {
  for (const name of ['a1', 'a2', 'b1']) open(name, name.slice(0, 1));
  await round();
  expect([Object.fromEntries(checks), ended]).toEqual([{a: 1, b: 1}, []]);
  gone.add('a');
  await round();
  expect(ended).toEqual(['a1 forbidden', 'a2 forbidden']);
  expect([rights.count, rights.streams, rights.ended]).toEqual([
    1,
    1,
    {unauthenticated: 0, forbidden: 2, unverified: 0},
  ]);
  expect(lines).toEqual(ended.map(() => ['info', {user: 'jane', path: '/a', reason: 'forbidden'}]));
  await round();
  expect(checks.get('a')).toBe(2);
});

test('a round begins within 5 s of the one before, and none does where no stream is open', async () => {
  expect([RIGHTS.roundMs < 4_000, time.pending]).toEqual([true, 0]);
  const one = open('a1', 'a');
  const two = open('a2', 'a');
  expect(time.pending).toBe(1);
  one.release();
  one.release(); // a stream that ends says so once or more
  expect([rights.streams, time.pending]).toEqual([1, 1]);
  two.release();
  expect([rights.count, rights.streams, time.pending]).toEqual([0, 0, 0]);
});

test('a stream that was closed during the round is not ended, nor logged', async () => {
  const kept = open('a1', 'a');
  gone.add('a');
  time.advance(RIGHTS.roundMs);
  kept.release();
  await rest();
  expect([ended, lines, rights.streams]).toEqual([[], [], 0]);
});

test('a stream that is opened while others of its right end has a check of its own', async () => {
  open('a1', 'a');
  gone.add('a');
  time.advance(RIGHTS.roundMs);
  for (let i = 0; i < 10; i++) await Promise.resolve(); // the check is over, the end of the stream is not
  expect([rights.count, rights.streams]).toEqual([0, 1]);
  gone.delete('a');
  open('a2', 'a');
  await rest();
  await round();
  expect([ended, rights.streams]).toEqual([['a1 forbidden'], 1]);
});

describe('a check that fails', () => {
  const broken = async (): Promise<undefined> => {
    throw new Error('the directory does not answer');
  };

  test('ends no stream if it comes back in time, and is one line in the log', async () => {
    open('a1', 'a');
    open('b1', 'b');
    odd.set('a', broken);
    for (let i = 1; i < RIGHTS.failedRoundsMax; i++) await round();
    expect(lines).toEqual([['error', {err: new Error('the directory does not answer'), path: '/a'}]]);
    odd.clear();
    await round();
    await round();
    odd.set('a', broken);
    await round();
    expect([ended, checks.get('b')]).toEqual([[], RIGHTS.failedRoundsMax + 2]);
  });

  test('ends its streams, and no other, if it stays so', async () => {
    open('a1', 'a');
    open('b1', 'b');
    odd.set('a', broken);
    for (let i = 0; i < RIGHTS.failedRoundsMax; i++) await round();
    expect([ended, rights.streams]).toEqual([['a1 unverified'], 1]);
  });

  test('and one that never ends holds up no other', async () => {
    for (let i = 0; i < 3 * RIGHTS.checksAtOnce; i++) {
      open(`s${i}`, `k${i}`);
      odd.set(`k${i}`, () => new Promise(() => {}));
    }
    open('z1', 'z');
    gone.add('z');
    await round();
    expect(ended).toEqual(['z1 forbidden']);
    for (let i = 0; i < RIGHTS.failedRoundsMax; i++) await round();
    expect([ended.length, rights.streams]).toEqual([1 + 3 * RIGHTS.checksAtOnce, 0]);
  });
});

test('after a slice of checks other work has its turn', async () => {
  for (let i = 0; i < 40 * RIGHTS.checksAtOnce; i++) open(`s${i}`, `k${i}`);
  let others = 0;
  const step = (): void => {
    if (checks.size === 40 * RIGHTS.checksAtOnce) return;
    others++;
    setImmediate(step);
  };
  setImmediate(step);
  // Each check takes some of the clock, as it does of a processor.
  for (const key of Array.from({length: 40 * RIGHTS.checksAtOnce}, (_, i) => `k${i}`))
    odd.set(key, async () => {
      time.advance(1);
      return undefined;
    });
  time.advance(RIGHTS.roundMs);
  await expect.poll(() => checks.size).toBe(40 * RIGHTS.checksAtOnce);
  expect(others).toBeGreaterThan(30); // one of the 40 pieces at a time, as each takes more than a slice
});
