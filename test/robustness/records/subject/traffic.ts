// SPDX-License-Identifier: Apache-2.0
/**
 * What the sensors of a life write: batch n of an endpoint follows from the seed alone, so what must be there after n batches is
 * known without asking the store. A batch has new records and, again, one of the batch before with a higher count.
 */
import {formatMicros, type Severity} from '@palisade/ids-wire';
import {recordIdOf} from '../../../../packages/ids/src/records/record-id.ts';
import type {RecordBatch} from '../../../../packages/ids/src/records/record-sink.ts';
import {batch, flow, T0, threat} from '../../../../packages/ids/src/testing/record-store-contract.ts';
import {between, seededRandom} from '../../suite/random.ts';

export const ENDPOINTS = ['a', 'b', 'c'].map(id => `projects/p/locations/l/endpoints/${id}`);
export const CLASSES = ['TRAFFIC', 'LOW', 'HIGH', 'CRITICAL'] as const;
export type TrafficClass = (typeof CLASSES)[number];

const DAY_MS = 86_400_000;
const AGE_MS = 3_650 * DAY_MS;
/** Partitions of traffic and of low severities come over them again and again; critical ones never. */
export const BUDGETS = {
  threats: {bytes: 6 * 1024 ** 2, ageMs: AGE_MS},
  traffic: {bytes: 1.5 * 1024 ** 2, ageMs: AGE_MS},
  evidence: {bytes: 64 * 1024 ** 2, ageMs: AGE_MS},
};

/** Places of a batch in its endpoint's EVE file. */
const PLACES = 20;
const CRITICAL_EVERY = 4;

type Planned = {
  readonly place: number;
  readonly severity: Severity;
  readonly size: number;
  readonly evidence: string | undefined;
};

const plannedOf = (
  seed: number,
  endpoint: string,
  n: number,
): {readonly threats: readonly Planned[]; readonly flows: number} => {
  const random = seededRandom(seed * 7_919 + ENDPOINTS.indexOf(endpoint) * 104_729 + n);
  const count = between(random, 1, 7);
  const threats = Array.from({length: count}, (_, i): Planned => {
    const place = n * PLACES + i;
    const severity = i === 0 && n % CRITICAL_EVERY === 0 ? 'CRITICAL' : random() < 0.7 ? 'LOW' : 'HIGH';
    const size = between(random, 0, 900);
    return {place, severity, size, evidence: severity === 'CRITICAL' ? `event ${endpoint} ${place}` : undefined};
  });
  return {threats, flows: between(random, 0, 4)};
};

const msOf = (n: number, place: number): number => (n % 2) * DAY_MS + place;

const writeOf = (endpoint: string, n: number, {place, severity, size, evidence}: Planned, repeat: number) => {
  const record = {
    endpoint,
    alert_severity: severity,
    repeat_count: String(repeat),
    details: 'd'.repeat(size),
    event_time: formatMicros((T0 + msOf(n, place)) * 1000),
  };
  return {...threat(0, record, repeat === 1 ? evidence : undefined), id: `0000-1111-${place}`};
};

/** Batches count from 1. */
export const batchOf = (seed: number, endpoint: string, n: number): RecordBatch => {
  const {threats, flows} = plannedOf(seed, endpoint, n);
  const before = n > 1 ? plannedOf(seed, endpoint, n - 1).threats.at(-1) : undefined;
  return batch({
    endpoint,
    checkpoint: {device: 'd', inode: 'i', offset: n},
    threats: [
      ...(before === undefined ? [] : [writeOf(endpoint, n - 1, before, 2)]),
      ...threats.map(planned => writeOf(endpoint, n, planned, 1)),
    ],
    traffic: Array.from({length: flows}, (_, i) => {
      const place = n * PLACES + PLACES / 2 + i;
      const time = formatMicros((T0 + msOf(n, place)) * 1000);
      return {...flow(0, {endpoint, event_time: time}), id: `0000-1111-${place}`};
    }),
  });
};

export type Expected = {
  readonly recordClass: TrafficClass;
  /** Of the batch that has it first. */
  readonly batch: number;
  readonly body: string;
  readonly evidence: string | undefined;
};

/** What must be there after `until` batches of an endpoint, by id. `again`: how many records of a class were written twice. */
export const expectedOf = (
  seed: number,
  endpoint: string,
  until: number,
): {readonly records: ReadonlyMap<string, Expected>; readonly again: Readonly<Record<string, number>>} => {
  const records = new Map<string, Expected>();
  const again: Record<string, number> = {};
  for (let n = 1; n <= until; n++) {
    const {threats, traffic} = batchOf(seed, endpoint, n);
    for (const {id: event, record, evidence} of [...threats, ...traffic]) {
      const id = recordIdOf(event, record);
      const recordClass = 'alert_severity' in record ? (record.alert_severity as TrafficClass) : 'TRAFFIC';
      const before = records.get(id);
      if (before !== undefined) again[recordClass] = (again[recordClass] ?? 0) + 1;
      records.set(id, {
        recordClass,
        batch: before?.batch ?? n,
        body: JSON.stringify(record),
        evidence: before?.evidence ?? evidence,
      });
    }
  }
  return {records, again};
};

/** The batch in which a record came first, from its id. */
export const batchOfId = (id: string): number => Math.floor(Number.parseInt(id.split('-').at(-1) ?? '', 16) / PLACES);

/** The first critical record of a batch; undefined: it has none. */
export const criticalOf = (seed: number, endpoint: string, n: number): string | undefined => {
  if (n % CRITICAL_EVERY !== 0) return undefined;
  const found = batchOf(seed, endpoint, n).threats.find(
    ({record}) => record.alert_severity === 'CRITICAL' && record.repeat_count === '1',
  );
  return found === undefined ? undefined : recordIdOf(found.id, found.record);
};
