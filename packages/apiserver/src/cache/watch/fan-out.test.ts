// SPDX-License-Identifier: Apache-2.0
/** Which watcher gets what, and when. Time is moved by hand. */
import {describe, expect, test} from 'vitest';
import {STEPS} from '../../base/limits.ts';
import {ManualFanOut} from './testing/manual-fan-out.ts';

const MANY = 1_000;
const names = (what: string, count: number): string[] => Array.from({length: count}, (_, i) => `${what} ${i}`);
const crowded = (count = MANY) => {
  const room = new ManualFanOut();
  return {room, watches: names('watch', count).map(name => room.open(name))};
};

test('an event that cannot be encoded ends the watches that it concerns, with a reason, and no others', () => {
  const room = new ManualFanOut();
  const [live, late] = [room.open('live'), room.open('late')];
  room.append();
  room.time.pass(10_000);
  late.sink.isStuck = true;
  room.append();
  room.time.pass(10_000);
  room.cannotEncode = true;
  room.append();
  expect(() => room.time.pass(10_000)).not.toThrow();
  expect(() => late.sink.take()).not.toThrow();
  room.cannotEncode = false;
  const after = room.open('after');
  room.append();
  room.time.pass(10_000);
  expect([room.ended, room.ends]).toEqual([['live', 'late'], {failed: 2}]);
  const err = new Error('it cannot be encoded');
  expect(room.faults).toEqual(['/live', '/late'].map(path => ({err, path})));
  const failed = 'ADDED o1\nADDED o2\nERROR it cannot be encoded\n';
  expect([live, late, after].map(({sink}) => sink.text)).toEqual([failed, failed, 'ADDED o4\n']);
});

test('an event is encoded once for all watchers, and for those that lagged', () => {
  const {room, watches} = crowded(100);
  const [slow] = watches;
  if (slow !== undefined) slow.sink.isStuck = true;
  for (let i = 0; i < 3; i++) {
    room.append();
    room.time.pass(100);
  }
  slow?.sink.take();
  expect(new Set(watches.map(({sink}) => sink.text))).toEqual(new Set(['ADDED o1\nADDED o2\nADDED o3\n']));
  expect(room.encoded).toBe(3);
});

describe('a pass', () => {
  test('E-275 serves the watchers in slices, between which other work has its time', () => {
    const {room, watches} = crowded();
    room.writeMs = 1;
    room.append();
    room.time.turn();
    expect(room.served).toEqual(names('watch', STEPS.sliceMsMax));
    expect(room.time.turn(room.time.nowMs + STEPS.sliceMsMax - 1)).toBe(false);
    room.time.pass(100_000);
    expect(room.served).toEqual(names('watch', MANY));
    expect(new Set(watches.map(({sink}) => sink.text))).toEqual(new Set(['ADDED o1\n']));
  });

  test('E-275 writes what came meanwhile with the rest, and the next pass brings it to the others', () => {
    const {room, watches} = crowded();
    room.writeMs = 1;
    room.append();
    room.time.pass(MANY);
    room.append();
    room.time.pass(100_000);
    expect(new Set(watches.map(({sink}) => sink.text))).toEqual(new Set(['ADDED o1\nADDED o2\n']));
    expect(room.served.length).toBeLessThan(2 * MANY);
    expect(room.served.filter(name => name === `watch ${MANY - 1}`)).toHaveLength(1);
  });

  test('E-275 comes to its end however fast changes come', () => {
    const {room, watches} = crowded();
    room.writeMs = 1;
    for (let turns = 0; watches.at(-1)?.sink.text === ''; turns++) {
      room.append();
      room.time.turn(Number.POSITIVE_INFINITY);
      expect(turns).toBeLessThan(MANY);
    }
  });

  test('serves a watcher that lagged last, from then on', () => {
    const {room, watches} = crowded(3);
    const [first] = watches;
    if (first !== undefined) first.sink.isStuck = true;
    for (let i = 0; i < 2; i++) {
      room.append();
      room.time.pass(100);
    }
    first?.sink.take();
    room.served.length = 0;
    room.append();
    room.time.pass(100);
    expect(room.served).toEqual(['watch 1', 'watch 2', 'watch 0']);
  });

  test('begins at once after a quiet time; events that come soon after a long one share the next', () => {
    const {room, watches} = crowded(1);
    const served = (): number => room.served.length;
    const pauseMs = STEPS.passPauseMsMax + STEPS.sliceMsMax;
    room.writeMs = STEPS.passPauseMsMax;
    room.append();
    room.time.turn();
    expect(served()).toBe(1);
    for (let i = 1; i < pauseMs; i++) {
      room.append();
      room.time.pass(1);
    }
    expect(served()).toBe(1);
    room.time.pass(1);
    expect(served()).toBe(2);
    expect(watches[0]?.sink.text.trimEnd().split('\n')).toHaveLength(pauseMs);
    room.time.pass(STEPS.sliceMsMax);
    room.time.nowMs -= 3_600_000; // the clock is set back
    room.append();
    room.time.pass(STEPS.passPauseMsMax);
    expect(served()).toBe(3);
    room.time.pass(pauseMs);
    room.append();
    room.time.turn();
    expect(served()).toBe(4);
  });
});

describe('a reader that does not read', () => {
  test('E-275 gets nothing more, and later all of it from its position', () => {
    const room = new ManualFanOut();
    const {sink} = room.open('stuck', {isStuck: true});
    const events = Array.from({length: 5}, () => {
      const name = room.append();
      room.time.pass(100);
      return name;
    });
    expect(room.served).toHaveLength(1);
    sink.take();
    expect(sink.text).toBe(events.map(name => `ADDED ${name}\n`).join(''));
    expect(room.served).toHaveLength(2);
    const next = room.append();
    room.time.pass(100);
    expect(sink.text).toMatch(`ADDED ${next}\n`);
  });

  test('E-275 is ended with a reason, thousands of them in slices; another reader gets its events meanwhile', () => {
    const room = new ManualFanOut();
    const reader = room.open('reader');
    const stuck = names('stuck', 3_000).map(name => room.open(name, {isStuck: true}));
    for (let i = 0; i < 2; i++) {
      room.append();
      room.time.pass(1_000);
    }
    expect(room.watches.blocked).toBe(stuck.length);
    room.writeMs = 1;
    while (room.ended.length === 0) room.time.turn(Number.POSITIVE_INFINITY);
    expect(room.ended).toHaveLength(STEPS.sliceMsMax);
    const name = room.append();
    while (!reader.sink.text.includes(name)) room.time.turn(Number.POSITIVE_INFINITY);
    expect(room.ended.length).toBeLessThan(20);
    room.time.pass(100_000);
    expect([room.ends, room.watches.blocked]).toEqual([{'too-slow': stuck.length}, 0]);
    expect(new Set(room.ended)).toEqual(new Set(stuck.map(({name}) => name)));
    expect(new Set(stuck.map(({sink}) => sink.text.split('\n').at(-2)))).toEqual(
      new Set(['ERROR the watch was ended because its reader did not keep up with the changes']),
    );
    expect([stuck.every(({sink}) => sink.isEnded), reader.sink.isEnded]).toEqual([true, false]);
  });

  test('continues if it reads again before its turn to be ended has come', () => {
    const room = new ManualFanOut();
    const stuck = names('stuck', 100).map(name => room.open(name, {isStuck: true}));
    for (let i = 0; i < 2; i++) {
      room.append();
      room.time.pass(1_000);
    }
    room.writeMs = 1;
    while (room.ended.length === 0) room.time.turn(Number.POSITIVE_INFINITY);
    const last = stuck.at(-1);
    last?.sink.take();
    room.time.pass(100_000);
    expect(room.ended).toHaveLength(99);
    expect(last?.sink.text).toBe('ADDED o1\nADDED o2\n');
  });

  test('E-275 is ended with a reason if it reads again behind the end of the history', () => {
    const room = new ManualFanOut({countMax: 3, bytesMax: 1_000_000});
    const {sink} = room.open('stuck', {isStuck: true});
    for (let i = 0; i < 5; i++) {
      room.append();
      room.time.pass(100);
    }
    sink.take();
    expect(sink.text).toMatch(/^ADDED o1\nERROR .*\n$/);
    expect(room.ends).toEqual({'too-slow': 1});
  });
});
