// SPDX-License-Identifier: Apache-2.0
/** The runner of exporters over a store in memory, in virtual time. */
import {formatTimestamp, type Severity} from '@palisade/ids-wire';
import {dedupId, ExportError, type ExportItem} from '../export/exporter.ts';
import {ExporterRunner, type RunnerOptions} from '../export/run-exporter.ts';
import type {RecordStore} from '../records/record-store.ts';
import {FakeExporter} from './fake-exporter.ts';
import {ManualTime} from './manual-time.ts';
import {MemoryRecordStore} from './memory-record-store.ts';
import {threatRecord} from './threat-record.ts';

export const E1 = 'projects/p/locations/local/endpoints/one';
export const E2 = 'projects/p/locations/local/endpoints/two';
const COUNTERS = {seen: 0, stored: 0, filtered: 0, excepted: 0, lost: 0};
export const AT = Date.UTC(2026, 0, 1);

type Logged = {readonly level: string; readonly fields: object; readonly message: string};

export const setUp = (settings: Partial<RunnerOptions['settings']> = {}, exporter = new FakeExporter()) => {
  const time = new ManualTime();
  const records = new MemoryRecordStore();
  const logged: Logged[] = [];
  const line = (level: string) => (fields: object, message: string) => void logged.push({level, fields, message});
  const log = {debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error')};
  const random = {bytes: (count: number) => new Uint8Array(count).fill(255)};
  const runnerOf = (
    store: RecordStore = records,
    into = exporter,
    changed: Partial<RunnerOptions['settings']> = {},
  ): ExporterRunner =>
    new ExporterRunner({
      settings: {
        name: 'x',
        receiver: 'x',
        kinds: ['threats'],
        filter: '',
        endpoints: [],
        updates: false,
        from: 'start',
        ...settings,
        ...changed,
      },
      exporter: into,
      records: store,
      clock: time,
      timers: time,
      random,
      log,
    });
  let next = 0;
  const write = async (count: number, endpoint = E1, severity: Severity = 'HIGH', at = next): Promise<void> => {
    const threats = Array.from({length: count}, (_, n) => ({
      id: `00000000-0000-0000-0000-000000000000-${at + n}`,
      record: threatRecord({
        threat_id: '1:1',
        name: 'n',
        alert_severity: severity,
        alert_time: formatTimestamp(AT),
        source_port: String(at + n),
        endpoint,
      }),
      evidence: `{"n":${at + n}}`,
    }));
    next = Math.max(next, at + count);
    await records.commit({endpoint, checkpoint: undefined, counters: COUNTERS, threats, traffic: []});
  };
  const storedIds = async (): Promise<readonly string[]> => {
    const name = {project: '-', location: '-', endpointId: '-'};
    const page = await records.page({kind: 'threats', name, filter: '', orderBy: '', limit: 1_000_000});
    return page.records.map(stored => dedupId({kind: 'threats', event: undefined, ...stored})).sort();
  };
  return {time, records, exporter, logged, runnerOf, write, storedIds};
};
export const idsOf = (items: readonly ExportItem[]): readonly string[] => [...new Set(items.map(dedupId))].sort();
export const down = (): never => {
  throw new ExportError('unavailable', 'connect ECONNREFUSED');
};
/** Moves the clock, a second at a time, with room for the work in between. */
export const pass = async (time: ManualTime, seconds: number): Promise<void> => {
  for (let second = 0; second < seconds; second++) {
    time.advance(1_000);
    await new Promise(setImmediate);
  }
};
