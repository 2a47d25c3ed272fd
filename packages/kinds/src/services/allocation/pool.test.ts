// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {createIpPool, firstIpOf} from './ip-pool.ts';
import {bandOf, createPool} from './pool.ts';

const at = (share: number) => ({next: () => share, uuid: () => '', bytes: () => new Uint8Array()});

test.each([
  [16, 0],
  [17, 16],
  [256, 16],
  [1_024, 64],
  [65_536, 256],
])('45-1 of %d addresses the lower %d are left to those who ask for them', (size, band) => {
  expect(bandOf(size, {least: 16, most: 256, part: 16})).toBe(band);
});

test.each([
  [0, [2, 3, 4, 0, 1, undefined]],
  [0.99, [4, 2, 3, 1, 0, undefined]],
])('45-1 with chance %d of five numbers above a band of two: %j', (share, expected) => {
  const pool = createPool(5, 2, at(share));
  expect(expected.map(() => pool.takeAny())).toEqual(expected);
});

test('45-1 the last free number of a large range is found without a look at each', () => {
  const size = 2 ** 20 - 2;
  const free = size - 3;
  let share = 0;
  const pool = createPool(size, 256, {next: () => share, uuid: () => '', bytes: () => new Uint8Array()});
  for (let offset = 0; offset < size; offset++) if (offset !== free) pool.take(offset);
  const began = process.cpuUsage();
  for (let i = 0; i < 500; i++) {
    share = (i + 0.5) / 500;
    expect(pool.takeAny()).toBe(free);
    expect(pool.takeAny()).toBe(undefined);
    pool.giveBack(free);
  }
  expect(process.cpuUsage(began).user).toBeLessThan(3_000_000); // a look at each takes minutes
});

test('45-1 a number that two hold is free with the second', () => {
  const pool = createPool(5, 0, at(0));
  pool.take(3);
  pool.take(3);
  pool.giveBack(3);
  expect(pool.has(3)).toBe(true);
  pool.giveBack(3);
  expect(pool.has(3)).toBe(false);
});

test.each([
  ['10.96.0.0/16', '10.96.0.1', '10.96.1.1', '10.96.255.254'],
  ['10.0.0.240/29', '10.0.0.241', '10.0.0.241', '10.0.0.246'],
  ['fd00::/112', 'fd00::1', 'fd00::101', 'fd00::ffff'],
])('45-1 the range %s begins with %s, is chosen from %s on and ends with %s', (cidr, first, chosen, last) => {
  expect(firstIpOf(cidr)).toBe(first);
  expect(createIpPool(cidr, at(0)).takeAny()).toBe(chosen);
  expect(createIpPool(cidr, at(1 - 1e-9)).takeAny()).toBe(last);
  const pool = createIpPool(cidr, at(0));
  expect([first, last].map(ip => pool.take(ip).ok)).toEqual([true, true]);
  expect(['192.168.0.1', '2001:db8::1', 'x', cidr.split('/')[0] ?? ''].map(ip => pool.take(ip).ok)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
