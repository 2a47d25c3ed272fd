// SPDX-License-Identifier: Apache-2.0
/** Scheduled backups. */
import {Counter, Gauge, type Registry} from 'prom-client';
import type {BackupCounts} from '../backup/schedule.ts';

export type ShownBackups = {readonly counts: Readonly<BackupCounts>};

export const showBackups = ({counts}: ShownBackups, registers: Registry[]): void => {
  const gauge = (name: string, help: string, read: () => number): void => {
    new Gauge({
      ...{name, help, registers},
      collect() {
        this.set(read());
      },
    });
  };
  gauge(
    'palisade_backup_last_success_timestamp_seconds',
    'Time of the newest scheduled backup, since 1970; 0 before the first.',
    () => counts.lastSuccess,
  );
  gauge(
    'palisade_backup_duration_seconds',
    'How long the last scheduled backup took, with reading it back; 0 before the first.',
    () => counts.lastSeconds,
  );
  gauge('palisade_backup_size_bytes', 'Size of the last scheduled backup; 0 before the first.', () => counts.lastBytes);
  new Counter({
    name: 'palisade_backup_failures_total',
    help: 'Scheduled backups that failed.',
    registers,
    collect() {
      this.reset();
      this.inc(counts.failures);
    },
  });
};
