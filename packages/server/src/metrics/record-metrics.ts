// SPDX-License-Identifier: Apache-2.0
/** What of the records is kept, in which space, and what was dropped. */
import type {RecordStore} from '@palisade/ids';
import {Counter, Gauge, type Registry} from 'prom-client';

export type ShownRecords = Pick<RecordStore, 'dropped' | 'usage'>;

const DROPPED_RECORDS = {
  evicted: 'Records evicted because a limit was reached, by kind and severity.',
  expired: 'Records deleted because of their age, by kind and severity.',
  lost: 'Records of damaged files that were set aside, by kind and severity.',
} as const;

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

export const showRecords = (records: ShownRecords, registers: Registry[]): void => {
  for (const why of ['evicted', 'expired', 'lost'] as const) {
    new Counter({
      name: `palisade_records_${why}_total`,
      help: DROPPED_RECORDS[why],
      labelNames: ['kind', 'severity'],
      registers,
      collect() {
        this.reset();
        for (const [name, count] of Object.entries(records.dropped()[why]))
          this.inc(name === 'TRAFFIC' ? {kind: 'traffic', severity: 'none'} : {kind: 'threats', severity: name}, count);
      },
    });
  }
  showRecordSpace(records, registers);
};
