// SPDX-License-Identifier: Apache-2.0
/** What is there when a watch is opened goes out piece by piece, between which others have their turn. */
import {expect, test} from 'vitest';
import {JOINED_BYTES} from './joined-frames.ts';
import {ManualFanOut, objectNamed} from './testing/manual-fan-out.ts';

/** Two of them fill a piece. */
const NAMES = ['a', 'b', 'c', 'd', 'e'].map(letter => letter.repeat(JOINED_BYTES / 2));
const opened = () => {
  const room = new ManualFanOut();
  const {watcher, sink} = room.open('watch', {snapshot: NAMES.map(name => objectNamed(name, 1n))});
  /** The next turn, and what was written until then: the first letter of each name. */
  const turn = async (): Promise<string> => {
    room.turns.shift()?.();
    await Promise.resolve();
    return sink.text.replace(/ADDED (.)\S*\n/g, '$1').replaceAll('BOOKMARK', '!');
  };
  return {room, watcher, sink, turn};
};

test('E-275 each piece in its turn, and no event or bookmark before the last', async () => {
  const {room, watcher, turn} = opened();
  room.append();
  watcher.interject(() => Buffer.from('BOOKMARK'));
  expect(watcher.isLive).toBe(false);
  expect(await turn()).toBe('abcd');
  room.time.pass(10_000);
  expect(room.turns).toHaveLength(1);
  expect(await turn()).toBe('abcdeo');
  expect([watcher.isLive, room.turns]).toEqual([true, []]);
});

test('who stands still in between is waited for, and then has his turn', async () => {
  const {sink, turn, room} = opened();
  sink.isFull = true;
  expect(await turn()).toBe('abcd');
  expect(room.turns).toEqual([]);
  sink.isFull = false;
  sink.take();
  expect(await turn()).toBe('abcde');
});

test('who is gone, or whose time is up, gets nothing more when his turn comes', async () => {
  for (const why of ['gone', 'timeout'] as const) {
    const {watcher, turn, room} = opened();
    if (why === 'gone') watcher.gone();
    else watcher.end(why);
    expect(await turn()).toBe('ab');
    expect([room.turns, room.ended]).toEqual([[], [['watch', why]]]);
  }
});

test('E-275 so does a long history, and what comes meanwhile goes with it; a live watch gets all at once', async () => {
  const room = new ManualFanOut();
  const append = (): string[] => Array.from({length: JOINED_BYTES / 8}, () => room.append()); // some more than a piece
  const first = append();
  const {sink, watcher} = room.open('watch', {from: 0});
  const seen = (): string[] =>
    sink.text
      .split('\n')
      .filter(line => line !== '')
      .map(line => line.slice('ADDED '.length));
  expect(seen().length).toBeLessThan(first.length);
  expect([watcher.isLive, room.turns.length]).toEqual([false, 1]);
  first.push(room.append());
  room.turns.shift()?.();
  await Promise.resolve();
  expect(seen()).toEqual(first);
  expect([watcher.isLive, room.turns.length]).toEqual([true, 0]);
  const second = append();
  room.time.pass(10_000);
  expect([room.turns.length, seen()]).toEqual([0, [...first, ...second]]);
});
