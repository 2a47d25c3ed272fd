// SPDX-License-Identifier: Apache-2.0
import type {ThreatRecord, TrafficRecord} from '@palisade/ids-wire';
import type {RecordBatch, RecordSink, SinkState} from '../record-sink.ts';

/** A record sink in memory, for tests: commits are all or nothing, and can be made to fail before or after they take. */
export class MemorySink implements RecordSink {
  readonly threats = new Map<string, ThreatRecord>();
  readonly traffic = new Map<string, TrafficRecord>();
  /** Events by record. */
  readonly evidence = new Map<string, string>();
  readonly states = new Map<string, SinkState>();
  /** Set it lower to see batches cut. */
  batchRecordsMax = 100;
  commits = 0;
  /** `before`: nothing is taken; `after`: taken, but reported as failed. */
  fail: 'before' | 'after' | undefined;
  readonly #listeners = new Set<() => void>();

  load(endpoint: string): Promise<SinkState | undefined> {
    return Promise.resolve(this.states.get(endpoint));
  }

  commit(batch: RecordBatch): Promise<void> {
    if (this.fail === 'before') return Promise.reject(new Error('the store is not there'));
    if (batch.threats.length + batch.traffic.length > this.batchRecordsMax)
      return Promise.reject(new Error('the batch is too large'));
    for (const {id, record, evidence} of batch.threats) {
      this.threats.set(id, record);
      if (evidence !== undefined) this.evidence.set(id, evidence);
    }
    for (const {id, record} of batch.traffic) this.traffic.set(id, record);
    const {checkpoint, counters, engine, flows} = batch;
    this.states.set(batch.endpoint, {checkpoint, counters, engine, flows});
    this.commits++;
    for (const listener of this.#listeners) listener();
    return this.fail === 'after' ? Promise.reject(new Error('the answer was lost')) : Promise.resolve();
  }

  forget(endpoint: string): Promise<void> {
    this.states.delete(endpoint);
    return Promise.resolve();
  }

  /** Sum of repeat_count by threat id. */
  counts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const record of this.threats.values())
      counts.set(record.threat_id, (counts.get(record.threat_id) ?? 0) + Number(record.repeat_count));
    return counts;
  }

  /** Resolves once `holds` is true, looked at now and after each commit; rejects when `signal` aborts. */
  until(holds: () => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (!holds()) return;
        this.#listeners.delete(look);
        resolve();
      };
      this.#listeners.add(look);
      signal.addEventListener('abort', () => {
        this.#listeners.delete(look);
        reject(new Error(`not within the limit; so far ${JSON.stringify([...this.counts()])}`));
      });
      look();
    });
  }
}
