// SPDX-License-Identifier: Apache-2.0
/** The thread that reads has a small heap: what it answers is bounded by its size, not by the number of records alone. */
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {formatMicros, SEVERITIES} from '@palisade/ids-wire';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {READ_BYTES_MAX} from '../../../limits.ts';
import {RecordFiles} from '../../../testing/record-files.ts';
import {threatRecord} from '../../../testing/threat-record.ts';
import type {RecordPosition, StoredRecord} from '../../record-store.ts';
import {openReader, type ReaderThread} from './reader-thread.ts';

const ENDPOINT = 'projects/p/locations/l/endpoints/a';
const NAME = {project: '-', location: '-', endpointId: '-'};
const T0 = Date.UTC(2026, 0, 1) * 1000;
const LARGE = 70 * 1024;

let folder: string;
let files: RecordFiles;
let reader: ReaderThread;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'record-memory-'));
  files = new RecordFiles(folder);
});
afterEach(async () => {
  await reader?.close();
  rmSync(folder, {recursive: true});
});
const open = (): void => {
  files.close();
  reader = openReader(folder);
};

const add = (i: number, written: number, bytes: number, micros = T0 + i): string => {
  const record = threatRecord({
    threat_id: '1:1',
    name: 'scan',
    alert_severity: SEVERITIES[i % SEVERITIES.length] ?? 'LOW',
    alert_time: `${formatMicros(micros).slice(0, 19)}Z`,
    event_time: formatMicros(micros),
    source_ip_address: `10.0.${(i >> 8) & 255}.${i & 255}`,
    source_port: '1',
    details: 'd'.repeat(bytes),
    endpoint: ENDPOINT,
  });
  return files.add({kind: 'threats', endpoint: ENDPOINT, event: `3f2a9c11-${i}`, record, written});
};
const bytesOf = (records: readonly StoredRecord[]): number => JSON.stringify(records.map(({record}) => record)).length;

const changesOf = async (): Promise<readonly (readonly StoredRecord[])[]> => {
  const pages: (readonly StoredRecord[])[] = [];
  for (let after = 0; ; ) {
    const page = await reader.changes({
      ...{kind: 'threats', name: NAME, filter: '', updates: true, limit: 500},
      ...{after, until: 10_000},
    });
    pages.push(page.records);
    if (page.isLast) return pages;
    expect(page.sequence).toBeGreaterThan(after);
    after = page.sequence;
  }
};

test('44-7 a backlog of large records is read to its end, a page at a time', async () => {
  const ids = Array.from({length: 1_000}, (_, i) => add(i, 1 + (i >> 1), LARGE));
  open();
  const pages = await changesOf();
  expect(pages.flat().map(({id}) => id)).toEqual(ids);
  expect(Math.max(...pages.map(bytesOf))).toBeLessThanOrEqual(READ_BYTES_MAX);
});

test('44-7 a commit that is larger than the heap is given whole', async () => {
  const ids = [add(0, 1, 10), ...Array.from({length: 1_000}, (_, i) => add(i + 1, 2, LARGE)), add(1_001, 3, 10)];
  open();
  const pages = await changesOf();
  expect(pages.map(({length}) => length)).toEqual([1, 1_000, 1]);
  expect(pages.flat().map(({id}) => id)).toEqual(ids);
});

const ORDERS = ['', 'event_time desc', 'alert_time desc', 'source_ip_address', 'name desc', 'alert_severity desc'];
test.each(ORDERS)('44-3 pages of large records end early, and none is left out (order "%s")', async orderBy => {
  const ids = Array.from({length: 500}, (_, i) => add(i, i + 1, LARGE));
  open();
  const ask = {kind: 'threats', name: NAME, orderBy, limit: 500} as const;
  const seen: string[] = [];
  for (let after: RecordPosition | undefined; ; ) {
    const page = await reader.page({...ask, filter: '', after});
    expect(bytesOf(page.records)).toBeLessThanOrEqual(READ_BYTES_MAX);
    seen.push(...page.records.map(({id}) => id));
    if (page.next === undefined) break;
    after = page.next;
  }
  expect(seen).toHaveLength(ids.length);
  expect(seen.toSorted()).toEqual(ids);
  const filtered = await reader.page({...ask, filter: 'details:"dd"'});
  expect(filtered.records.map(({id}) => id)).toEqual(seen.slice(0, filtered.records.length));
});

test('44-3 a second with more alerts than fit into memory is read in its order', async () => {
  const ids = Array.from({length: 60_000}, (_, i) => add(i, i + 1, 400));
  open();
  const ask = {kind: 'threats', name: NAME, limit: 50} as const;
  const [byTime, filtered, bySeverity] = await Promise.all([
    reader.page({...ask, filter: '', orderBy: 'alert_time desc'}),
    reader.page({...ask, filter: 'details:"dd"', orderBy: 'alert_time desc'}),
    reader.page({...ask, filter: '', orderBy: 'alert_severity desc, alert_time desc'}),
  ]);
  expect(byTime.records.map(({id}) => id)).toEqual(ids.slice(0, 50));
  expect(filtered.records.map(({id}) => id)).toEqual(ids.slice(0, 50));
  const critical = SEVERITIES.indexOf('CRITICAL');
  expect(bySeverity.records[0]?.id).toBe(ids[critical]);
  const next = await reader.page({...ask, filter: '', orderBy: 'alert_time desc', after: byTime.next});
  expect(next.records.map(({id}) => id)).toEqual(ids.slice(50, 100));
});
