// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {DiskWatch} from './disk-watch.ts';

const MIB = 2 ** 20;

test('low begins below the floor, and ends when there is clearly more than the floor', () => {
  const disk = new DiskWatch({diskFloorBytes: 64 * MIB, diskRecoverBytes: 32 * MIB});
  const steps = [64, 63.5, 64, 95, 10, 96, 95].map(free => ({free, changed: disk.look(free * MIB), low: disk.low}));
  expect(steps).toEqual([
    {free: 64, changed: false, low: false},
    {free: 63.5, changed: true, low: true},
    {free: 64, changed: false, low: true},
    {free: 95, changed: false, low: true},
    {free: 10, changed: false, low: true},
    {free: 96, changed: true, low: false},
    {free: 95, changed: false, low: false},
  ]);
});

test('the problem says how much is free, and that traffic logs stop where they are wanted', () => {
  const disk = new DiskWatch({diskFloorBytes: 64 * MIB, diskRecoverBytes: 0});
  expect(disk.problem(true)).toBeUndefined();
  disk.look(12.7 * MIB);
  expect([disk.problem(true), disk.problem(false)]).toEqual([
    'disk nearly full: 12 MiB free where the events are written; traffic logs are stopped so that threat logs continue; free space',
    'disk nearly full: 12 MiB free where the events are written; free space',
  ]);
});
