// SPDX-License-Identifier: Apache-2.0
import {EventEmitter} from 'node:events';
import type {ServerHttp2Session} from 'node:http2';
import type {Socket} from 'node:net';
import {ManualTime} from '@palisade/ids/testing';
import {expect, test} from 'vitest';
import {closeWhenIdle} from './idle-sessions.ts';
import {OpenStreams} from './open-streams.ts';

const IDLE_MS = 60_000;

/** A session that is told to end and does not, unless the test says that it has. */
const begin = () => {
  const [time, told] = [new ManualTime(0), [] as string[]];
  const ends = (what: string) => ({
    close: () => told.push(`close ${what}`),
    destroy: () => told.push(`cut off ${what}`),
  });
  const session = Object.assign(new EventEmitter(), ends('session'));
  const streams = (): EventEmitter => {
    const stream = new EventEmitter();
    session.emit('stream', stream);
    return stream;
  };
  const asSession = session as unknown as ServerHttp2Session;
  closeWhenIdle(asSession, new OpenStreams(asSession), ends('socket') as unknown as Socket, {
    timers: time,
    idleMs: IDLE_MS,
  });
  return {time, told, session, open: streams};
};

test('a session that is closed for its idleness and has not ended after as long again is cut off with its socket', () => {
  const {time, told} = begin();
  time.advance(IDLE_MS);
  expect(told).toEqual(['close session']);
  time.advance(IDLE_MS - 1);
  expect(told).toEqual(['close session']);
  time.advance(1);
  expect(told).toEqual(['close session', 'cut off session', 'cut off socket']);
});

test('so is one whose client has left, after its last stream', () => {
  const {time, told, open} = begin();
  const [first, last] = [open(), open()];
  time.advance(5 * IDLE_MS);
  first.emit('close');
  time.advance(5 * IDLE_MS);
  expect(told).toEqual([]);
  last.emit('close');
  time.advance(2 * IDLE_MS);
  expect(told).toEqual(['close session', 'cut off session', 'cut off socket']);
});

test('one that ends is left alone, and so is one on which a stream came in time', () => {
  const ending = begin();
  ending.time.advance(IDLE_MS);
  ending.session.emit('close');
  const going = begin();
  going.time.advance(IDLE_MS);
  going.open();
  for (const {time, told} of [ending, going]) {
    time.advance(5 * IDLE_MS);
    expect(told).toEqual(['close session']);
  }
});
