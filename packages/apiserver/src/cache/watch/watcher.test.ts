// SPDX-License-Identifier: Apache-2.0
/** A watcher that catches up writes piece by piece, between which others have their turn. */
import {expect, test} from 'vitest';
import {STEPS} from '../../base/limits.ts';
import {ManualFanOut, objectNamed} from './testing/manual-fan-out.ts';

/** Two of them fill a piece. */
const NAMES = ['a', 'b', 'c', 'd', 'e'].map(letter => letter.repeat(STEPS.writeBytes / 2));
const opened = () => {
  const room = new ManualFanOut();
  const {watcher, sink} = room.open('watch', {state: NAMES.map(name => objectNamed(name, 1n))});
  /** The next turn, and what was written until then: the first letter of each name. */
  const turn = async (): Promise<string> => {
    await room.nextTurn();
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
  room.append();
  expect([await turn(), watcher.isLive]).toEqual(['abcdeoo', true]);
  watcher.interject(() => Buffer.from('BOOKMARK'));
  expect(await turn()).toBe('abcdeoo!');
});

test('a reader that does not read in between is waited for, and then has its turn', async () => {
  const {sink, turn} = opened();
  sink.isFull = true;
  expect(await turn()).toBe('abcd');
  expect(await turn()).toBe('abcd');
  sink.isFull = false;
  sink.take();
  expect(await turn()).toBe('abcde');
});

test('a watcher whose client is gone, or whose time is up, writes nothing more when its turn comes', async () => {
  for (const why of ['gone', 'timeout'] as const) {
    const {watcher, turn, room} = opened();
    if (why === 'gone') watcher.gone();
    else watcher.end(why);
    expect(await turn()).toBe('ab');
    expect(room.ends).toEqual({[why]: 1});
  }
});

test('E-275 a long history goes out in turns, and what comes meanwhile goes with it', async () => {
  const room = new ManualFanOut();
  const names = Array.from({length: STEPS.writeEventsMax + 1}, () => room.append());
  const {sink, watcher} = room.open('watch', {from: 0});
  const seen = (): string[] => sink.text.replaceAll('ADDED ', '').trimEnd().split('\n');
  expect([seen(), watcher.isLive]).toEqual([names.slice(0, -1), false]);
  names.push(room.append());
  await room.nextTurn();
  expect([seen(), watcher.isLive]).toEqual([names, true]);
});

test('E-275 a live watcher that has much more to write than usual does so in turns, too, and misses nothing', async () => {
  const room = new ManualFanOut();
  const {sink, watcher} = room.open('watch');
  const eventsMax = STEPS.writeEventsMax * STEPS.liveWritesMax;
  const names = Array.from({length: eventsMax + 1}, () => room.append());
  room.time.turn();
  expect([sink.text.split('\n').length - 1, watcher.isLive]).toEqual([eventsMax, false]);
  await room.nextTurn();
  expect([sink.text, watcher.isLive]).toEqual([names.map(name => `ADDED ${name}\n`).join(''), true]);
});

test('E-275 events that left the history while existing objects were written end the watch with 410', async () => {
  const room = new ManualFanOut({countMax: 2, bytesMax: 1e9});
  const {sink} = room.open('watch', {state: NAMES.slice(0, 3).map(name => objectNamed(name, 1n))});
  for (let event = 0; event < 5; event++) room.append();
  await room.nextTurn();
  expect(room.ends).toEqual({'too-slow': 1});
  expect(sink.text).not.toMatch(/ADDED o\d/);
});

test('45-1 what was there, and what came before the watch began, is shown in a way of its own', async () => {
  const room = new ManualFanOut();
  room.append();
  room.append();
  const {sink} = room.open('watch', {from: 0, state: [objectNamed('a', 1n)], showsPast: true});
  const other = room.open('other', {from: 0});
  room.append();
  await room.nextTurn();
  expect(sink.text).toBe('PAST a\nPAST o1\nPAST o2\nADDED o3\n');
  expect(other.sink.text).toBe('ADDED o1\nADDED o2\nADDED o3\n');
});

test('it says that it has begun when all of the state is written, when its reader holds it up, and when it ends', async () => {
  const {room, turn} = opened();
  await turn();
  expect([...room.begun]).toEqual([]);
  await turn();
  expect([...room.begun]).toEqual(['watch']);
  const held = opened();
  held.sink.isFull = true;
  await held.turn();
  expect([...held.room.begun]).toEqual(['watch']);
  const left = opened();
  left.watcher.gone();
  expect([...left.room.begun]).toEqual(['watch']);
});
