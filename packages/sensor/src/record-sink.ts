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

/** A record with its stable id: the same id written again replaces the record (a growing `repeat_count`, a replay after a crash). */
export type RecordWrite<R> = {readonly id: string; readonly record: R};

/** What some whole lines of EVE changed, with the position behind the last of them. */
export type RecordBatch = {
  readonly endpoint: string;
  readonly checkpoint: EveCheckpoint | undefined;
  readonly counters: AlertCounters;
  readonly threats: readonly RecordWrite<ThreatRecord>[];
  readonly traffic: readonly RecordWrite<TrafficRecord>[];
};

/**
 * Where records go. Implemented by `@palisade/ids` over the Store; `commit` writes records, counters and checkpoint in one
 * transaction, so that an alert is counted exactly once across a crash of either side. Ref: design invariant 4.
 */
export interface RecordSink {
  /** Records, threats and traffic together, that one commit takes. The sensor cuts its batches so; a line makes one record at most. */
  readonly batchRecordsMax: number;
  load(
    endpoint: string,
  ): Promise<{readonly checkpoint: EveCheckpoint | undefined; readonly counters: AlertCounters} | undefined>;
  commit(batch: RecordBatch): Promise<void>;
  /** Forgets checkpoint and counters of an endpoint that is gone; its records stay until retention ends. */
  forget(endpoint: string): Promise<void>;
}
