// SPDX-License-Identifier: Apache-2.0
import {mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {silentLog} from '@palisade/apiserver';
import {ManualTime} from '@palisade/apiserver/testing';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import type {BackupConfig} from './backup-config.ts';
import {BackupSchedule} from './schedule.ts';
import {makeSample, SAMPLE_TIME, SAMPLE_UID, type Sample} from './testing/sample.ts';
import {writeBackupFile} from './write-backup-file.ts';

const HOUR = 3_600_000;
const SETTLE_MS = 10_000;

let dir: string;
let sample: Sample;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'palisade-test-'));
  sample = await makeSample(dir, 3);
});
afterEach(() => rmSync(dir, {recursive: true, force: true}));

const names = (): string[] =>
  readdirSync(join(dir, 'copies'))
    .map(name => name.replace('palisade-3f2a1b7c-', '').replace('.tar.zst', ''))
    .sort();
const copyAt = (text: string): void => {
  mkdirSync(join(dir, 'copies'), {recursive: true});
  writeFileSync(join(dir, 'copies', `palisade-3f2a1b7c-${text}.tar.zst`), 'older');
};

type World = {readonly time?: ManualTime; readonly keep?: number; readonly fails?: () => boolean};

/** A schedule that has started; `due` runs what is due after a time, and waits for it. */
const started = async ({time = new ManualTime(SAMPLE_TIME), keep = 24, fails = () => false}: World = {}) => {
  const config: BackupConfig = {dir: join(dir, 'copies'), everyMs: HOUR, keep, records: false};
  const backups = {
    hasRecords: false,
    idle: () => sample.backups.idle(),
    async *make(withRecords: boolean, signal: AbortSignal) {
      for await (const chunk of sample.backups.make(withRecords, signal)) {
        yield chunk;
        if (fails()) throw Object.assign(new Error('no space left on device'), {code: 'ENOSPC'});
      }
    },
  };
  const lines: string[] = [];
  const schedule = new BackupSchedule(config, {
    ...{backups, serverUid: SAMPLE_UID, clock: time, stopwatch: {now: () => 0}, timers: time},
    log: {...silentLog, error: (_: object, text: string) => lines.push(text)} as never,
  });
  await schedule.start();
  const due = async (ms: number): Promise<void> => {
    time.advance(ms);
    await expect.poll(() => time.pending).toBe(1); // the next one is set when this one ended
  };
  return {schedule, time, due, lines};
};

describe('48-3 scheduled backups', () => {
  test('the first comes soon after the start, the next ones an interval later, named by their times', async () => {
    const {due, schedule} = await started();
    expect(schedule.counts.lastSuccess).toBe(0);
    await due(SETTLE_MS - 1);
    expect(names()).toEqual([]);
    await due(1);
    await due(HOUR);
    expect(names()).toEqual(['20261128T120010Z', '20261128T130010Z']);
    expect(schedule.counts).toMatchObject({failures: 0, lastSuccess: (SAMPLE_TIME + HOUR + SETTLE_MS) / 1000});
    expect(schedule.counts.lastBytes).toBeGreaterThan(500);
  });

  test('a restart neither loses nor repeats one: the newest file says when the next is due', async () => {
    copyAt('20261128T113000Z');
    const {due, schedule} = await started();
    expect(schedule.counts.lastSuccess).toBe(Date.UTC(2026, 10, 28, 11, 30) / 1000);
    await due(HOUR / 2 - 1);
    expect(names()).toHaveLength(1);
    await due(1);
    expect(names()).toEqual(['20261128T113000Z', '20261128T123000Z']);
  });

  test('an overdue one is made soon after the start', async () => {
    copyAt('20261120T000000Z');
    const {due} = await started();
    await due(SETTLE_MS);
    expect(names()).toHaveLength(2);
  });

  test('the oldest beyond those to keep go, files of others stay', async () => {
    for (const day of ['21', '22', '23', '24']) copyAt(`202611${day}T000000Z`);
    writeFileSync(join(dir, 'copies', 'palisade-ffffffff-20200101T000000Z.tar.zst'), 'of another server');
    for (const name of ['mine', '2024', 'before-upgrade 2024']) copyAt(name);
    const {due} = await started({keep: 2});
    await due(SETTLE_MS);
    expect(names()).toEqual(
      ['2024', '20261124T000000Z', '20261128T120010Z', 'before-upgrade 2024', 'mine'].concat(
        'palisade-ffffffff-20200101T000000Z',
      ),
    );
  });

  test('a failure removes nothing old, leaves nothing half, is counted and logged, and is tried again soon', async () => {
    copyAt('20261121T000000Z');
    let isFull = true;
    const {due, schedule, lines} = await started({keep: 1, fails: () => isFull});
    await due(SETTLE_MS);
    expect(names()).toEqual(['20261121T000000Z']);
    expect([schedule.counts.failures, lines]).toEqual([1, ['scheduled backup failed, retrying later']]);
    isFull = false;
    await due(5 * 60_000);
    expect(names()).toEqual(['20261128T120510Z']);
  });

  test('unfinished files of a crash are removed at the start, but not those of another server', async () => {
    copyAt('20261128T113000Z');
    const ours = 'palisade-3f2a1b7c-20261128T110000Z.tar.zst.0123456789ab.partial';
    const others = ours.replace('3f2a1b7c', 'ffffffff');
    for (const name of [ours, others]) writeFileSync(join(dir, 'copies', name), 'half');
    await started();
    expect(readdirSync(join(dir, 'copies')).filter(name => name.endsWith('.partial'))).toEqual([others]);
  });

  test('a clock that was set back names the new one as the newest, removes the oldest, and does not wait for the old time', async () => {
    copyAt('20261130T000000Z');
    copyAt('20261130T010000Z');
    const {due} = await started({keep: 2});
    await due(SETTLE_MS);
    expect(names()).toEqual(['20261130T010000Z', '20261130T010001Z']);
    await due(HOUR);
    expect(names()).toEqual(['20261130T010001Z', '20261130T010002Z']);
  });

  test('a stop gives up one that is being read back', async () => {
    const abort = new AbortController();
    async function* chunks() {
      yield* sample.backups.make(false, abort.signal);
      abort.abort(new Error('the server is stopping'));
    }
    const {signal} = abort;
    await expect(writeBackupFile(join(dir, 'copy'), chunks(), {signal})).rejects.toThrow('the server is stopping');
    expect(readdirSync(dir).filter(name => name.startsWith('copy'))).toEqual([]);
  });

  test('a stop gives up the one that is being made', async () => {
    const {schedule, time} = await started();
    const blocker = sample.backups.make(false, new AbortController().signal);
    await blocker.next();
    time.advance(SETTLE_MS);
    const stopped = schedule.stop();
    await blocker.return(undefined);
    await stopped;
    expect([names(), time.pending, schedule.counts.failures]).toEqual([[], 0, 0]);
  });
});
