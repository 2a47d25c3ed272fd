// SPDX-License-Identifier: Apache-2.0
/** Who is served when: first who has just come, then who has kept up for long, who stands still not at all. Time is moved by hand. */
import {describe, expect, test} from 'vitest';
import {NEW_MAX, PERIOD_MS, WAIT_MS_MAX} from './fan-out.ts';
import {SLICE_ITEMS_MAX, SLICE_MS} from './pace.ts';
import {FULL_EVENTS, STREAM_EVENTS} from './stream.ts';
import {ManualFanOut, type ManualWatch} from './testing/manual-fan-out.ts';

const ROW = 1_000;
const names = (what: string, count: number): string[] => Array.from({length: count}, (_, i) => `${what} ${i}`);
/** Many who have been here for long, then those that came last. */
const crowded = () => {
  const room = new ManualFanOut();
  const row = names('row', ROW).map(name => room.open(name));
  const last = names('new', NEW_MAX).map(name => room.open(name));
  return {room, row, last};
};

test('an event that cannot be encoded ends the watches that it concerns, with a word, and no others', () => {
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
  expect(room.ended).toEqual([
    ['live', 'failed'],
    ['late', 'failed'],
  ]);
  expect(room.faults).toEqual([ManualFanOut.FAULT, ManualFanOut.FAULT]);
  expect([live, late, after].map(({sink}) => sink.text)).toEqual([
    'ADDED o1\nADDED o2\nFAILED\n',
    'ADDED o1\nADDED o2\nFAILED\n',
    'ADDED o4\n',
  ]);
});

describe('order', () => {
  test('E-275 who has just come is served first, then the others, who has kept up for longest first', () => {
    const {room} = crowded();
    room.append();
    room.time.pass(10_000);
    expect(room.served).toEqual([...names('new', NEW_MAX).reverse(), ...names('row', ROW)]);
  });

  test('E-275 who was blocked in between has to queue up anew', () => {
    const {room, row} = crowded();
    const [first] = row;
    if (first !== undefined) first.sink.isStuck = true;
    for (let i = 0; i < 2; i++) {
      room.append();
      room.time.pass(10_000);
    }
    first?.sink.take();
    room.served.length = 0;
    room.append();
    room.time.pass(10_000);
    expect(room.served).toEqual([...names('new', NEW_MAX).reverse(), ...names('row', ROW).slice(1), 'row 0']);
  });

  test('E-275 the row is served in slices; the new ones and its head hear what is new before its end was reached', () => {
    const {room, row, last} = crowded();
    room.writeMs = 1;
    room.append();
    room.time.turn();
    expect(room.served).toEqual(names('new', NEW_MAX).reverse());
    room.time.turn();
    expect(room.served.slice(NEW_MAX)).toEqual(names('row', SLICE_MS));
    room.time.pass(200);
    const name = room.append();
    const hear = ({sink}: ManualWatch | undefined = row[0] as ManualWatch): number => {
      while (!sink.text.includes(name)) room.time.turn(Number.POSITIVE_INFINITY);
      return new Set(room.served.filter(served => served.startsWith('row'))).size;
    };
    expect(hear(last.at(-1))).toBeLessThan(ROW / 2);
    expect(hear(row[0])).toBeLessThan(ROW / 2);
    expect(row.at(-1)?.sink.text).toBe('');
    room.time.pass(100_000);
    expect(new Set([...row, ...last].map(({sink}) => sink.text))).toEqual(new Set(['ADDED o1\nADDED o2\n']));
    expect(room.served.filter(served => served === `row ${ROW - 1}`)).toHaveLength(1); // both in one write
  });

  test('E-275 however fast changes come, the end of the row gets its turn', () => {
    const {room, row} = crowded();
    room.writeMs = 1;
    for (let turns = 0; row.at(-1)?.sink.text === ''; turns++) {
      room.append();
      room.time.turn(Number.POSITIVE_INFINITY);
      expect(turns).toBeLessThan(ROW);
    }
  });

  test('a slice has an end, too, while the clock stands still', () => {
    const {room} = crowded();
    room.append();
    room.time.turn();
    room.time.turn();
    expect(room.served).toHaveLength(NEW_MAX + SLICE_ITEMS_MAX);
  });

  test('under load events share a write', () => {
    const room = new ManualFanOut();
    const {sink} = room.open('one');
    room.writeMs = 5;
    const events = Array.from({length: 10}, () => {
      const name = room.append();
      room.time.pass(1);
      return name;
    });
    room.time.pass(1_000);
    expect(sink.text).toBe(events.map(name => `ADDED ${name}\n`).join(''));
    expect(room.served.length).toBeLessThan(events.length / 2);
  });
});

describe.each([
  ['who has just come', NEW_MAX],
  ['who is in the row', 0],
])('a stream of events for %s', (_, newMax) => {
  /** So long that the period ends what is held, not the share. */
  const WRITE_MS = PERIOD_MS / 3;
  const appendTo = (room: ManualFanOut, count: number): void => {
    for (let i = 0; i < count; i++) room.append();
  };
  /** A watch that has just been told of so many changes, which took `writeMs`. */
  const justServed = (count: number, writeMs = WRITE_MS) => {
    const room = new ManualFanOut(undefined, newMax);
    const {sink} = room.open('one');
    room.writeMs = writeMs;
    appendTo(room, count);
    room.time.turn();
    expect(room.served).toHaveLength(1);
    return {room, sink};
  };
  /** Milliseconds until the watch hears of so many changes that come now. */
  const heardAfter = (room: ManualFanOut, count = 1): number => {
    const [startMs, before] = [room.time.nowMs, room.served.length];
    appendTo(room, count);
    while (room.served.length === before) expect(room.time.turn(Number.POSITIVE_INFINITY)).toBe(true);
    return room.time.nowMs - startMs - room.writeMs;
  };

  test('is held until a delivery is full', () => {
    const {room, sink} = justServed(STREAM_EVENTS);
    appendTo(room, FULL_EVENTS - 1);
    room.time.pass(WAIT_MS_MAX + 1);
    expect(room.served).toHaveLength(1);
    expect(heardAfter(room)).toBe(0);
    expect(sink.text.trimEnd().split('\n')).toHaveLength(STREAM_EVENTS + FULL_EVENTS); // in two writes
    expect(heardAfter(room, FULL_EVENTS)).toBe(WAIT_MS_MAX); // nothing is left of what was held
    expect(room.served).toHaveLength(3);
  });

  test('is held until PERIOD_MS after the delivery before began, and no longer after the clock was set back', () => {
    expect(heardAfter(justServed(STREAM_EVENTS).room)).toBe(PERIOD_MS - WRITE_MS);
    const {room} = justServed(STREAM_EVENTS);
    while (room.time.turn(room.time.nowMs + WAIT_MS_MAX)); // what else is due
    room.time.nowMs -= 3_600_000;
    expect(heardAfter(room)).toBe(PERIOD_MS - WRITE_MS);
  });

  test('is not held for long after a delivery that took long', () => {
    expect(heardAfter(justServed(STREAM_EVENTS, PERIOD_MS - WAIT_MS_MAX).room)).toBe(WAIT_MS_MAX);
    expect(heardAfter(justServed(STREAM_EVENTS, 2 * PERIOD_MS).room)).toBe(WAIT_MS_MAX);
  });

  test('leaves the server its time between two deliveries that are full', () => {
    expect(heardAfter(justServed(FULL_EVENTS).room, FULL_EVENTS)).toBe(WAIT_MS_MAX);
    const {room} = justServed(FULL_EVENTS);
    room.append(); // is held
    expect(heardAfter(room, FULL_EVENTS)).toBe(WAIT_MS_MAX);
  });

  test('is held for no longer than a few times what the delivery before took', () => {
    const {room} = justServed(STREAM_EVENTS);
    room.writeMs = 1;
    heardAfter(room, FULL_EVENTS);
    expect(heardAfter(room)).toBeLessThan(PERIOD_MS - WRITE_MS);
  });

  test('is over when a delivery brought few: who waits for single events does not wait longer', () => {
    expect(heardAfter(justServed(STREAM_EVENTS - 1).room)).toBe(WAIT_MS_MAX);
    const {room} = justServed(STREAM_EVENTS);
    heardAfter(room);
    expect(heardAfter(room)).toBe(WAIT_MS_MAX);
  });

  test('is not what came while nobody watched', () => {
    const room = new ManualFanOut(undefined, newMax);
    appendTo(room, FULL_EVENTS);
    room.open('one');
    room.writeMs = WRITE_MS;
    expect(heardAfter(room)).toBe(0);
    expect(heardAfter(room)).toBe(WAIT_MS_MAX);
  });
});

describe('standing still', () => {
  test('E-275 who does not take what was written gets nothing more, and later all of it from its place', () => {
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

  test('E-275 thousands that stood still for too long are ended in slices, each with a reason; a reader hears meanwhile', () => {
    const room = new ManualFanOut();
    const reader = room.open('reader');
    const stuck = names('stuck', 3_000).map(name => room.open(name, {isStuck: true}));
    for (let i = 0; i < 2; i++) {
      room.append();
      room.time.pass(1_000);
    }
    room.writeMs = 1;
    while (room.ended.length === 0) room.time.turn(Number.POSITIVE_INFINITY);
    expect(room.ended).toHaveLength(SLICE_MS);
    const name = room.append();
    while (!reader.sink.text.includes(name)) room.time.turn(Number.POSITIVE_INFINITY);
    expect(room.ended.length).toBeLessThan(20);
    room.time.pass(100_000);
    expect(new Map(room.ended)).toEqual(new Map(stuck.map(({name}) => [name, 'too-slow'])));
    expect(room.ended).toHaveLength(stuck.length);
    expect(new Set(stuck.map(({sink}) => sink.text.split('\n').at(-2)))).toEqual(new Set(['ERROR']));
    expect(stuck.every(({sink}) => sink.isEnded)).toBe(true);
    expect(reader.sink.isEnded).toBe(false);
  });

  test('who reads again before its turn to be ended has come goes on', () => {
    const room = new ManualFanOut();
    const stuck = names('stuck', 100).map(name => room.open(name, {isStuck: true}));
    for (let i = 0; i < 2; i++) {
      room.append();
      room.time.pass(1_000);
    }
    room.writeMs = 1;
    while (room.ended.length === 0) room.time.turn(Number.POSITIVE_INFINITY);
    const [last] = stuck; // the newest are served first, and so blocked first
    last?.sink.take();
    room.time.pass(100_000);
    expect(room.ended).toHaveLength(99);
    expect(last?.sink.text).toBe('ADDED o1\nADDED o2\n');
  });

  test('E-275 who comes back behind what history holds is ended with a reason', () => {
    const room = new ManualFanOut({countMax: 3, bytesMax: 1_000_000});
    const {sink} = room.open('stuck', {isStuck: true});
    for (let i = 0; i < 5; i++) {
      room.append();
      room.time.pass(100);
    }
    sink.take();
    expect(sink.text).toBe('ADDED o1\nERROR\n');
    expect(room.ended).toEqual([['stuck', 'too-slow']]);
  });
});
