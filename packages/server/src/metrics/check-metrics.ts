// SPDX-License-Identifier: Apache-2.0
/** What the prober does: health checks by result, and whether they are made in time. */
import type {ProberCounts} from '@palisade/prober';
import {Counter, Gauge, type Registry} from 'prom-client';

export type ShownChecks = {readonly counts: ProberCounts};

const counter = (registers: Registry[], name: string, help: string, read: () => number): void => {
  new Counter({
    ...{name, help, registers},
    collect() {
      this.reset();
      this.inc(read());
    },
  });
};

export const showChecks = (checks: ShownChecks, registers: Registry[]): void => {
  new Counter({
    name: 'palisade_checks_total',
    help: 'Health checks that ended, by result.',
    labelNames: ['result'],
    registers,
    collect() {
      const {passed, failed, notMade} = checks.counts;
      this.reset();
      this.inc({result: 'passed'}, passed);
      this.inc({result: 'failed'}, failed);
      this.inc({result: 'not-made'}, notMade);
    },
  });
  new Gauge({
    name: 'palisade_check_targets',
    help: 'Targets of health checks: watched, being checked now, or waiting because too many are being checked.',
    labelNames: ['state'],
    registers,
    collect() {
      const {targets, underWay, waiting} = checks.counts;
      this.set({state: 'watched'}, targets);
      this.set({state: 'under-way'}, underWay);
      this.set({state: 'waiting'}, waiting);
    },
  });
  counter(registers, 'palisade_checks_started_total', 'Health checks that started.', () => checks.counts.started);
  counter(
    registers,
    'palisade_checks_late_seconds_total',
    'Seconds by which health checks started later than due, in sum.',
    () => checks.counts.lateMs / 1000,
  );
  counter(
    registers,
    'palisade_check_thread_starts_total',
    'Starts of the thread that makes health checks; more than 1: it ended and was replaced.',
    () => checks.counts.threadStarts,
  );
};
