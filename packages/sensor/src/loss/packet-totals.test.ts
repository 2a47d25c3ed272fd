// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import type {CaptureCounters} from '../capture/capture.ts';
import {addSums, packetFigures, sumsOf} from './packet-totals.ts';

/** Of the relay: 100 taken from the socket, which dropped 40 before. */
const RELAY: CaptureCounters = {
  received: 100,
  bytes: 5000,
  drops: {kernel: 0, socket: 40, queue: 1, crash: 2, stop: 3, notCaptured: 0},
  malformed: 4,
  foreignVni: 5,
  lastForeignVni: 9,
  refusedSender: 6,
};

test('43-3 received are all packets that arrived, with those that a socket or a ring dropped', () => {
  expect(sumsOf(RELAY, 7)).toEqual({
    received: 140,
    bytes: 5000,
    drops: {kernel: 0, socket: 40, queue: 1, crash: 2, stop: 3, notCaptured: 0, engine: 7},
    malformed: 4,
    foreignVni: 5,
    refusedSender: 6,
    notInspectable: 0,
  });
  const ring: CaptureCounters = {...RELAY, drops: {...RELAY.drops, kernel: 30, socket: 0}}; // its 100 have them
  expect(sumsOf(ring, 0).received).toBe(100);
});

test('43-3 dropped is the sum of all causes, also over two runs', () => {
  const sums = sumsOf(RELAY, 7);
  expect(packetFigures(addSums(sums, sums), RELAY)).toEqual({
    received: 280,
    bytes: 10_000,
    dropped: 106,
    drops: {kernel: 0, socket: 80, queue: 2, crash: 4, stop: 6, notCaptured: 0, engine: 14},
    malformed: 8,
    foreignVni: 10,
    refusedSender: 12,
  });
});

test('43-3 what the driver cannot count is absent, with the reason, also when an earlier driver counted it', () => {
  const figures = packetFigures(sumsOf(RELAY, 0), {foreignVni: undefined, refusedSender: undefined});
  expect([Object.keys(figures).sort(), figures.notCounted]).toEqual([
    ['bytes', 'dropped', 'drops', 'malformed', 'notCounted', 'received'],
    {
      foreignVni: 'the kernel drops packets with another VNI before this driver can count them',
      refusedSender: 'packets of other senders are dropped before this driver can count them',
    },
  ]);
});

test('43-3 frames that a driver cannot inspect are shown where there can be some, over two runs', () => {
  const bpf: CaptureCounters = {...RELAY, notInspectable: 11};
  const sums = sumsOf(bpf, 0);
  expect(packetFigures(addSums(sums, sums), bpf)).toMatchObject({received: 280, notInspectable: 22});
  expect(packetFigures(addSums(sums, sums), RELAY)).not.toHaveProperty('notInspectable');
});
