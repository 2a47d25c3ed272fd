// SPDX-License-Identifier: Apache-2.0
import type {ThreatRecord, TrafficRecord} from '@palisade/ids-wire';

/** Position of the reader of an EVE file. `offset` is the byte after the last complete line that was counted. */
export type EveCheckpoint = {readonly device: string; readonly inode: string; readonly offset: number};

/** Totals since the endpoint was created; they never go down. */
export type AlertCounters = {
  readonly seen: number;
  readonly stored: number;
  readonly filtered: number;
  readonly excepted: number;
  readonly lost: number;
};

/** Of one run of Suricata: alerts read, and its own counts at the last look. */
export type RunAlerts = {
  readonly seen: number;
  readonly counted: number;
  readonly discarded: number;
  readonly suppressed: number;
};

/** Suricata's own counts of its alerts since the endpoint was created, and those of the run that is being read. */
export type EngineAlerts = {
  /** `detect.alert`. */
  readonly counted: number;
  /** `detect.alert_queue_overflow`: more rules matched a packet than it keeps alerts of. */
  readonly discarded: number;
  /** `detect.alerts_suppressed`: by a threshold or suppress setting. */
  readonly suppressed: number;
  readonly run?: RunAlerts | undefined;
};

/** Flows of an endpoint with traffic logs that made no record, since others of them are the sample. Never goes down. */
export type FlowCounters = {readonly sampledOut: number};

/** A record with its stable id: the same id written again replaces the record (a growing `repeat_count`, a replay after a crash). */
export type RecordWrite<R> = {
  readonly id: string;
  readonly record: R;
  /** The event as Suricata wrote it; only with the first write of a record. */
  readonly evidence?: string | undefined;
};

/** What some whole lines of EVE changed, with the position behind the last of them. */
export type RecordBatch = {
  readonly endpoint: string;
  readonly checkpoint: EveCheckpoint | undefined;
  readonly counters: AlertCounters;
  readonly engine?: EngineAlerts | undefined;
  readonly flows?: FlowCounters | undefined;
  readonly threats: readonly RecordWrite<ThreatRecord>[];
  readonly traffic: readonly RecordWrite<TrafficRecord>[];
};

/** What the sink keeps of an endpoint besides its records. */
export type SinkState = Pick<RecordBatch, 'checkpoint' | 'counters' | 'engine' | 'flows'>;

/**
 * Where records go. Implemented by `@palisade/ids` over the Store; `commit` writes records, counters and checkpoint in one
 * transaction, so that an alert is counted exactly once across a crash of either side. Ref: design invariant 4.
 */
export interface RecordSink {
  /** Records, threats and traffic together, that one commit takes. The sensor cuts its batches so; a line makes one record at most. */
  readonly batchRecordsMax: number;
  load(endpoint: string): Promise<SinkState | undefined>;
  commit(batch: RecordBatch): Promise<void>;
  /** Forgets checkpoint and counters of an endpoint that is gone; its records stay until retention ends. */
  forget(endpoint: string): Promise<void>;
}
