// SPDX-License-Identifier: Apache-2.0
/** What of the records is kept, in which space, and what was dropped. */
import type {RecordStore} from '@palisade/ids';
import type {RecordBatch, RecordSink} from '@palisade/sensor';
import {Counter, Gauge, type Registry} from 'prom-client';

export type ShownRecords = Pick<RecordStore, 'dropped' | 'usage'>;

const DROPPED_RECORDS = {
  evicted: 'Records evicted because a limit was reached, by kind and severity.',
  expired: 'Records deleted because of their age, by kind and severity.',
  lost: 'Records of damaged files that were set aside, by kind and severity.',
} as const;

type Labels = {readonly kind: string; readonly severity: string};

const labelsOf = (recordClass: string): Labels =>
  recordClass === 'TRAFFIC' ? {kind: 'traffic', severity: 'none'} : {kind: 'threats', severity: recordClass};

/** Writes of records by class, counted between the sensors and the store. */
export class RecordWrites {
  readonly counts = new Map<string, number>();

  counted(sink: RecordSink): RecordSink {
    return {
      batchRecordsMax: sink.batchRecordsMax,
      load: endpoint => sink.load(endpoint),
      commit: async batch => {
        await sink.commit(batch);
        this.#add(batch);
      },
      forget: endpoint => sink.forget(endpoint),
    };
  }

  #add({threats, traffic}: RecordBatch): void {
    for (const {record} of threats) this.#count(record.alert_severity, 1);
    if (traffic.length > 0) this.#count('TRAFFIC', traffic.length);
  }

  #count(recordClass: string, more: number): void {
    this.counts.set(recordClass, (this.counts.get(recordClass) ?? 0) + more);
  }
}

/** All classes from the start: Prometheus sees no increase in a series that begins with its first record. */
const showWrites = (records: ShownRecords, writes: RecordWrites, registers: Registry[]): void => {
  new Counter({
    name: 'palisade_record_writes_total',
    help: 'Records that sensors wrote, also again with a higher repeat_count, by kind and severity.',
    labelNames: ['kind', 'severity'],
    registers,
    collect() {
      this.reset();
      for (const name of Object.keys(records.dropped().evicted)) this.inc(labelsOf(name), 0);
      for (const [name, count] of writes.counts) this.inc(labelsOf(name), count);
    },
  });
};

const showRecordSpace = (records: ShownRecords, registers: Registry[]): void => {
  for (const [what, help] of [
    ['used', 'Bytes on disk that records take, by budget.'],
    ['budget', 'Bytes on disk that records may take, by budget.'],
  ] as const) {
    new Gauge({
      name: `palisade_records_${what}_bytes`,
      help,
      labelNames: ['budget'],
      registers,
      async collect() {
        this.reset();
        const usage = await records.usage().catch(() => undefined); // a closed store has nothing to show
        for (const [budget, {usedBytes, bytes}] of Object.entries(usage ?? {}))
          this.set({budget}, what === 'used' ? usedBytes : bytes);
      },
    });
  }
};

export const showRecords = (records: ShownRecords, writes: RecordWrites, registers: Registry[]): void => {
  showWrites(records, writes, registers);
  for (const why of ['evicted', 'expired', 'lost'] as const) {
    new Counter({
      name: `palisade_records_${why}_total`,
      help: DROPPED_RECORDS[why],
      labelNames: ['kind', 'severity'],
      registers,
      collect() {
        this.reset();
        for (const [name, count] of Object.entries(records.dropped()[why])) this.inc(labelsOf(name), count);
      },
    });
  }
  showRecordSpace(records, registers);
};
