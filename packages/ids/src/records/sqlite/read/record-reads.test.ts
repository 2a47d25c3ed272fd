// SPDX-License-Identifier: Apache-2.0
import {mkdtempSync, readdirSync, readlinkSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setImmediate} from 'node:timers/promises';
import {formatMicros, SEVERITIES} from '@palisade/ids-wire';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {PARTITIONS_OPEN_MAX} from '../../../limits.ts';
import {RecordFiles} from '../../../testing/record-files.ts';
import {threatRecord} from '../../../testing/threat-record.ts';
import type {RecordPosition} from '../../record-store.ts';
import {GroupSums} from './group-sums.ts';
import {OpenPartitions} from './open-partitions.ts';
import {PartitionFiles} from './partition-files.ts';
import {openReader} from './reader-thread.ts';
import {RecordReads} from './record-reads.ts';

const ENDPOINT = 'projects/p/locations/l/endpoints/a';
const NAME = {project: '-', location: '-', endpointId: '-'};
const DAY_MICROS = 86_400_000_000;
const T0 = Date.UTC(2026, 0, 1) * 1000;

let folder: string;
let files: RecordFiles;
let reads: RecordReads;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'record-reads-'));
  files = new RecordFiles(folder, 10);
});
afterEach(() => {
  reads?.close();
  rmSync(folder, {recursive: true});
});

/** The i-th record is of the i-th commit. */
const add = (i: number, micros: number): string => {
  const record = threatRecord({
    threat_id: `1:${i % 3}`,
    name: 'scan',
    alert_severity: SEVERITIES[i % SEVERITIES.length] ?? 'LOW',
    alert_time: `${formatMicros(micros).slice(0, 19)}Z`,
    event_time: formatMicros(micros),
    source_port: '1',
    endpoint: ENDPOINT,
  });
  return files.add({kind: 'threats', endpoint: ENDPOINT, event: `3f2a9c11-${i}`, record, written: i + 1});
};
const open = (): void => {
  files.close();
  reads = new RecordReads(folder, {now: () => Date.now()}, async () => void (await setImmediate()));
};
const openFiles = (): number =>
  readdirSync('/proc/self/fd').filter(descriptor => {
    try {
      return /\/\w+-\d{8}-\d+\.db( \(deleted\))?$/.test(readlinkSync(`/proc/self/fd/${descriptor}`));
    } catch {
      return false; // of the listing itself
    }
  }).length;

test('44-3 a search over more partitions than may be open keeps the limit, and closes those that were dropped', async () => {
  const days = PARTITIONS_OPEN_MAX;
  const ids = Array.from({length: days * 5}, (_, i) => add(i, T0 + Math.floor(i / 5) * DAY_MICROS + i));
  open();
  const page = await reads.page({kind: 'threats', name: NAME, filter: '', orderBy: '', limit: 1_000});
  expect(page.records.map(({id}) => id)).toEqual(ids);
  expect(openFiles()).toBeLessThanOrEqual(PARTITIONS_OPEN_MAX);
  reads.forget(readdirSync(folder));
  expect(openFiles()).toBe(0);
});

test('44-3 a page in time order opens the partitions of its own days only', async () => {
  for (let i = 0; i < 50; i++) add(i, T0 + i * DAY_MICROS);
  open();
  const request = {kind: 'threats', name: NAME, filter: '', orderBy: 'event_time desc', limit: 2} as const;
  expect((await reads.page(request)).records).toHaveLength(2);
  expect(openFiles()).toBeLessThanOrEqual(4);
});

test('44-3 pages repeat and lose no record while others are written and the oldest go', async () => {
  const ids = Array.from({length: 40}, (_, i) => add(i, T0 + (i >> 2)));
  const seen: string[] = [];
  open();
  const request = {kind: 'threats', name: NAME, filter: '', orderBy: 'event_time desc', limit: 7} as const;
  for (let after: RecordPosition | undefined; ; ) {
    const page = await reads.page({...request, after});
    seen.push(...page.records.map(({id}) => id));
    if (page.next === undefined) break;
    after = page.next;
    reads.forget(readdirSync(folder)); // connections are opened again
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.toSorted()).toEqual(ids);
});

test('44-3 changes come by commit over all partitions, and stop at the last complete one', async () => {
  const ids = Array.from({length: 30}, (_, i) => add(i, T0 + ((i * 7) % 30) * 1_000_000));
  open();
  const ask = {kind: 'threats', name: NAME, filter: '', updates: false, limit: 4} as const;
  const given: string[] = [];
  for (let after = 0; ; ) {
    const page = await reads.changes({...ask, after, until: 25}, part => given.push(...part.map(({id}) => id)));
    expect(page.sequence).toBeLessThanOrEqual(25);
    after = page.sequence;
    if (page.isLast) break;
  }
  expect(given).toEqual(ids.slice(0, 25));
  expect(await reads.backlog('threats', 20)).toBe(10);
});

test('44-7 many readers look at the disk once after a commit', () => {
  add(0, T0);
  files.close();
  const [file = ''] = readdirSync(folder).filter(name => name.startsWith('informational') && name.endsWith('.db'));
  const partitions = new OpenPartitions(folder);
  let looks = 0;
  const clock = {now: () => 0 * ++looks};
  const of = new PartitionFiles(folder, partitions, () => [file], clock);
  const found = [1, 1, 1, 2, 1, 2].map(sequence => of.contentUntil(file, sequence)?.written);
  expect(found).toEqual([1, 1, 1, 1, 1, 1]);
  expect(looks).toBe(2);
  partitions.closeAll();
});

test('44-3 groups that do not fit into memory are summed up in a temporary file', () => {
  const [small, large] = [new GroupSums(3), new GroupSums()];
  for (const sums of [small, large])
    for (let i = 0; i < 100; i++) {
      const group = {records: 1, alerts: i % 7, bytes: i, first: i, last: 1_000 - i, highest: i % 5, file: `${i}`};
      sums.add(`k${(i * 31) % 17}`, group);
    }
  expect(small.top(5)).toEqual(large.top(5));
  expect(small.top(5).more).toBe(12);
  small.close();
});

test('44-3 the thread of the reader answers side by side, and refuses when it is closed', async () => {
  const id = add(1, T0);
  files.close();
  const reader = openReader(folder);
  const request = {kind: 'threats', name: NAME, filter: '', orderBy: '', limit: 1} as const;
  const [page, one, missing] = await Promise.all([
    reader.page(request),
    reader.get('threats', ENDPOINT, id),
    reader.get('threats', ENDPOINT, id.replace('3f2a', '3f2b')),
  ]);
  expect([page.records[0]?.id, one?.id, missing]).toEqual([id, id, undefined]);
  await expect(reader.page({...request, orderBy: 'nope'})).rejects.toMatchObject({code: 'io'});
  await reader.close();
  await expect(reader.page(request)).rejects.toMatchObject({code: 'closed'});
});
