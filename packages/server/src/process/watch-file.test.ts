// SPDX-License-Identifier: Apache-2.0
/** Changes of a file are noticed, however it is replaced, and reported when it has come to rest. */
import {appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {systemTimers} from '@palisade/apiserver';
import {ManualTime} from '@palisade/apiserver/testing';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {ABSENT, versionOf, WatchedFile, type WatchFolder, type WatchParts} from './watch-file.ts';

let folder: string;
let path: string;
let watched: WatchedFile | undefined;
const reports: string[] = [];
const errors: unknown[] = [];
const log = {error: (fields: unknown) => void errors.push(fields)} as unknown as WatchParts['log'];
/** No events: only the looks notice anything. */
const noEvents: WatchFolder = () => {
  throw new Error('ENOSPC');
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palisade-watch-'));
  path = join(folder, 'file');
  writeFileSync(path, 'first');
  reports.length = 0;
  errors.length = 0;
});
afterEach(async () => {
  await watched?.stop();
  watched = undefined;
  rmSync(folder, {recursive: true, force: true});
});

const NEVER_MS = 3_600_000;
const begin = async (parts: Partial<WatchParts> = {}): Promise<void> => {
  watched = new WatchedFile({
    ...{path, version: await versionOf(path), timers: systemTimers, log, settleMs: 5, lookMs: NEVER_MS},
    changed: version => void reports.push(version),
    ...parts,
  });
};
const reported = async (count: number): Promise<void> =>
  expect.poll(() => reports.length, {timeout: 10_000, interval: 5}).toBe(count);

test('a file that is written in place, and one that replaces it', async () => {
  await begin();
  appendFileSync(path, ' more');
  await reported(1);
  writeFileSync(`${path}.new`, 'other');
  renameSync(`${path}.new`, path);
  await reported(2);
  expect(reports[1]).toBe(await versionOf(path));
});

test('the links of a Secret volume that are swapped', async () => {
  const file = join(folder, 'tokens');
  for (const each of ['..1', '..2']) {
    mkdirSync(join(folder, each));
    writeFileSync(join(folder, each, 'tokens'), each);
  }
  symlinkSync('..1', join(folder, '..data'));
  symlinkSync(join('..data', 'tokens'), file);
  await begin({path: file, version: await versionOf(file)});
  symlinkSync('..2', join(folder, '..data_tmp'));
  renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
  await reported(1);
});

test('a file that goes, and comes back', async () => {
  await begin();
  rmSync(path);
  await reported(1);
  expect(reports).toEqual([ABSENT]);
  writeFileSync(path, 'back');
  await reported(2);
});

test('without events, a look from time to time notices the change', async () => {
  await begin({watchFolder: noEvents, lookMs: 5});
  appendFileSync(path, ' more');
  await reported(1);
});

test('what changed between the reading and the watch is reported', async () => {
  const version = await versionOf(path);
  appendFileSync(path, ' more');
  await begin({version, watchFolder: noEvents});
  await reported(1);
});

test('a file that is being written is reported when it has come to rest', async () => {
  const time = new ManualTime();
  await begin({timers: time, watchFolder: noEvents, settleMs: 100, lookMs: NEVER_MS});
  const settle = async (): Promise<void> => {
    time.advance(100);
    await expect.poll(() => time.pending + reports.length, {interval: 1}).toBe(2); // the next look, or the report
  };
  appendFileSync(path, ' one');
  await settle();
  appendFileSync(path, ' two');
  await settle();
  expect(reports).toEqual([]);
  await settle();
  expect(reports).toEqual([await versionOf(path)]);
});

test('a version that somebody else read is not reported', async () => {
  const version = await versionOf(path);
  appendFileSync(path, ' more');
  const next = await versionOf(path);
  let looks = 0;
  const after: WatchParts['timers']['after'] = (ms, action) => {
    looks++;
    return systemTimers.after(ms, action);
  };
  await begin({version, timers: {after}, watchFolder: noEvents, lookMs: 5});
  watched?.read(next);
  await expect.poll(() => looks, {interval: 5}).toBeGreaterThan(12);
  expect(reports).toEqual([]);
});

test('what fails to take a change is logged, and the next change is reported', async () => {
  let calls = 0;
  await begin({
    changed: () => {
      if (++calls === 1) throw new Error('not now');
      reports.push('taken');
    },
  });
  appendFileSync(path, ' bad');
  await expect.poll(() => errors.length).toBe(1);
  appendFileSync(path, ' good');
  await reported(1);
});

test('after stop nothing is set or reported', async () => {
  const time = new ManualTime();
  await begin({timers: time, watchFolder: noEvents});
  appendFileSync(path, ' more');
  await watched?.stop();
  expect(time.pending).toBe(0);
});
