// SPDX-License-Identifier: Apache-2.0
/** What the data plane writes. The shapes are those of `@palisade/sensor`'s RecordSink port, which this package fits without importing. */
import type {ThreatRecord, TrafficRecord} from '@palisade/ids-wire';
import type {ClassCounts} from './evictions.ts';

export type EveCheckpoint = {readonly device: string; readonly inode: string; readonly offset: number};

export type AlertCounters = {
  readonly seen: number;
  readonly stored: number;
  readonly filtered: number;
  readonly excepted: number;
  readonly lost: number;
};

/** What the sensor keeps of Suricata's own counts; not looked into here. */
export type EngineAlerts = {
  readonly counted: number;
  readonly discarded: number;
  readonly suppressed: number;
  readonly run?:
    | {readonly seen: number; readonly counted: number; readonly discarded: number; readonly suppressed: number}
    | undefined;
};

/** Flows of an endpoint with traffic logs that make no record, since others of them are the sample. */
export type FlowCounters = {readonly sampledOut: number};

/** `id`: the place of the event, `FILE-OFFSET`. `evidence`: the event as Suricata wrote it; only with the first write of a record. */
export type RecordWrite<R> = {readonly id: string; readonly record: R; readonly evidence?: string | undefined};

/** At most `batchRecordsMax` records. */
export type RecordBatch = {
  readonly endpoint: string;
  readonly checkpoint: EveCheckpoint | undefined;
  readonly counters: AlertCounters;
  readonly engine?: EngineAlerts | undefined;
  readonly flows?: FlowCounters | undefined;
  readonly threats: readonly RecordWrite<ThreatRecord>[];
  readonly traffic: readonly RecordWrite<TrafficRecord>[];
};

export type SensorPosition = Pick<RecordBatch, 'checkpoint' | 'counters' | 'engine' | 'flows'>;

/** How many records of an endpoint are kept, how many made room for others, and how many became too old. */
export type RecordCounts = {
  readonly kept: ClassCounts;
  readonly evicted: ClassCounts;
  readonly expired: ClassCounts;
};

export const NO_RECORDS: RecordCounts = {kept: {}, evicted: {}, expired: {}};
