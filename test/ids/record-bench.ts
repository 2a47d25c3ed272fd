// SPDX-License-Identifier: Apache-2.0
/** Two endpoints, records of theirs, and the API that shows them, on a clock that a test moves. */
import type {RecordStore} from '../../packages/ids/src/index.ts';
import {FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {ManualTime} from '../../packages/ids/src/testing/manual-time.ts';
import {MemoryRecordStore} from '../../packages/ids/src/testing/memory-record-store.ts';
import type {TrafficRecord} from '../../packages/ids-wire/src/records.ts';
import {formatMicros} from '../../packages/ids-wire/src/timestamp.ts';
import type {Store} from '../../packages/store/src/index.ts';
import {RestClient} from './rest-client.ts';
import {startTestServer, type TestServer} from './test-server.ts';

export const PARENT = 'projects/p/locations/local';
export const A = `${PARENT}/endpoints/a`;
export const B = `${PARENT}/endpoints/b`;
export const T0 = Date.UTC(2026, 0, 1);
export const iso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');

export type RecordBench = {readonly records: RecordStore; readonly server: TestServer; readonly rest: RestClient};

/** A server over `store` and `records`, which may hold the data of one before. */
export const bootRecords = async (
  store: Store,
  time: ManualTime = new ManualTime(T0),
  records: RecordStore = new MemoryRecordStore(),
): Promise<RecordBench> => {
  const server = await startTestServer({store, records, sensorHost: new FakeSensorHost(), clock: time, timers: time});
  return {records, server, rest: new RestClient(server.url)};
};

export const trafficRecord = (endpoint: string, i: number, more: Partial<TrafficRecord> = {}): TrafficRecord => ({
  start_time: iso(T0 + i * 1000),
  elapsed_time: '3',
  network: 'net',
  source_ip_address: '192.0.2.1',
  destination_ip_address: '192.0.2.2',
  source_port: String(i),
  destination_port: '80',
  ip_protocol: 'tcp',
  application: 'http',
  session_id: '7',
  repeat_count: '1',
  total_bytes: '100',
  total_packets: '6',
  endpoint,
  event_time: formatMicros((T0 + i * 1000) * 1000),
  ...more,
});
