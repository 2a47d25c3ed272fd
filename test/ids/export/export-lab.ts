// SPDX-License-Identifier: Apache-2.0
/** Exporters over a record store in memory: the runner in virtual time, its exporter with real sockets. */
import {setImmediate as turn} from 'node:timers/promises';
import {formatTimestamp} from '@palisade/ids-wire';
import {dedupId, type Exporter} from '../../../packages/ids/src/export/exporter.ts';
import {ExporterRunner} from '../../../packages/ids/src/export/run-exporter.ts';
import type {ExportSettings} from '../../../packages/ids/src/export/settings.ts';
import {ManualTime} from '../../../packages/ids/src/testing/manual-time.ts';
import {MemoryRecordStore} from '../../../packages/ids/src/testing/memory-record-store.ts';
import {threatRecord} from '../../../packages/ids/src/testing/threat-record.ts';
import {systemRandom} from '../../../packages/server/src/process/system.ts';
import {settingsOf as anySettings, openExporter, SILENT} from '../../export/support/open-exporter.ts';

export const ENDPOINT = 'projects/p/locations/local/endpoints/web';
const COUNTERS = {seen: 0, stored: 0, filtered: 0, excepted: 0, lost: 0};

/** Of threats alone. */
export const settingsOf = (url: string, given: Partial<ExportSettings> = {}): ExportSettings =>
  anySettings(url, {kinds: ['threats'], ...given});

export const makeStore = () => {
  const records = new MemoryRecordStore();
  let next = 0;
  const write = async (count: number, details = ''): Promise<void> => {
    const threats = Array.from({length: count}, () => ({
      id: `00000000-0000-0000-0000-000000000000-${next++}`,
      record: threatRecord({
        threat_id: '1:1',
        name: 'n',
        alert_severity: 'HIGH',
        alert_time: formatTimestamp(Date.UTC(2026, 0, 1)),
        source_port: String(next),
        endpoint: ENDPOINT,
        details,
      }),
    }));
    await records.commit({endpoint: ENDPOINT, checkpoint: undefined, counters: COUNTERS, threats, traffic: []});
  };
  const ids = async (): Promise<readonly string[]> => {
    const name = {project: '-', location: '-', endpointId: '-'};
    const page = await records.page({kind: 'threats', name, filter: '', orderBy: '', limit: 1_000_000});
    return page.records.map(({id}) => id).sort();
  };
  return {records, write, ids};
};

/** How many sends of the runners of a time are under way. */
const sending = new WeakMap<ManualTime, number>();

export const runnerOf = (
  records: MemoryRecordStore,
  exporter: Exporter,
  settings: ExportSettings,
  time: ManualTime,
) => {
  const count = (more: number): unknown => sending.set(time, (sending.get(time) ?? 0) + more);
  const counted: Exporter = {
    ...exporter,
    send: async (items, signal) => {
      count(1);
      await exporter.send(items, signal).finally(() => count(-1));
    },
  };
  const options = {settings, exporter: counted, records, clock: time, timers: time, random: systemRandom, log: SILENT};
  return new ExporterRunner(options);
};

/** Moves the time second by second until `done`; it does not pass while sockets are at work. */
export const passUntil = async (time: ManualTime, done: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await done())) {
    if ((sending.get(time) ?? 0) === 0) time.advance(1_000);
    await turn();
  }
};

export const passMinutes = async (time: ManualTime, minutes: number): Promise<void> => {
  const end = time.now() + minutes * 60_000;
  await passUntil(time, () => time.now() >= end);
};

export {dedupId, ManualTime, openExporter, SILENT};
