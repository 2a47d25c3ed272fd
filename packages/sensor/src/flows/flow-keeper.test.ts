// SPDX-License-Identifier: Apache-2.0
import {mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {folderOf} from '../sensor/sensor-folder.ts';
import {FlowKeeper} from './flow-keeper.ts';

const MIB = 2 ** 20;
const NOW_MS = Date.UTC(2026, 0, 1);
const ignore = (): void => undefined;
const log = {debug: ignore, info: ignore, warn: ignore, error: ignore};

let dir = '';
let folder = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'palisade-keeper-'));
  folder = folderOf(dir, 'projects/p/locations/local/endpoints/a');
  mkdirSync(folder, {recursive: true});
  for (let second = 1; second <= 8; second++) {
    const path = join(folder, `flow.pcap.${second}.0`);
    writeFileSync(path, Buffer.alloc(MIB));
    utimesSync(path, NOW_MS / 1000 + second, NOW_MS / 1000 + second);
  }
});
afterEach(() => rmSync(dir, {recursive: true}));

/** `wait` calls what the keeper waits for. */
const keeperOf = (spaceAt: () => Promise<{freeBytes: number; totalBytes: number}>) => {
  let action = ignore;
  let waits = 0;
  const timers = {
    after: (_delayMs: number, then: () => void) => {
      action = then;
      waits++;
      return {cancel: ignore};
    },
  };
  const keeper = new FlowKeeper({dir, evidence: 'pcap', clock: {now: () => NOW_MS}, timers, log, spaceAt});
  const wait = async (): Promise<void> => {
    const before = waits;
    action();
    await expect.poll(() => waits).toBe(before + 1);
  };
  return {keeper, wait};
};
const left = (): number[] =>
  readdirSync(folder)
    .map(name => Number(name.split('.')[2]))
    .sort((a, b) => a - b);

test.each([
  ['a disk of 100 GiB', 320, 100 * 1024],
  ['a small disk', 64, 1024],
])(
  '44-3 %s: capture files go as soon as less is free than they leave to records, the oldest first, as many as are missing',
  async (_disk, floor, total) => {
    let free = floor * MIB;
    const {keeper, wait} = keeperOf(async () => ({freeBytes: free, totalBytes: total * MIB}));
    await wait();
    expect(left()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    free -= 1.5 * MIB;
    await wait();
    expect(left()).toEqual([3, 4, 5, 6, 7, 8]);
    free -= 100 * MIB;
    await wait();
    expect(left()).toEqual([8]);
    await keeper.close();
  },
);

test('44-3 a disk that cannot be asked deletes nothing', async () => {
  const {keeper, wait} = keeperOf(() => Promise.reject(new Error('stale')));
  await wait();
  expect(left()).toHaveLength(8);
  await keeper.close();
});
