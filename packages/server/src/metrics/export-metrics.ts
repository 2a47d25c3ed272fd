// SPDX-License-Identifier: Apache-2.0
/** The exporters in `/metrics`, by name. */
import type {ExporterHealth} from '@palisade/ids';
import {Counter, Gauge, type Registry} from 'prom-client';

export type ShownExporters = {health(): Promise<readonly ExporterHealth[]>};

type Read = (health: ExporterHealth) => number;

const COUNTERS: Readonly<Record<string, {readonly help: string; readonly read: Read}>> = {
  sent_total: {help: 'Records that the receiver has, with repeats.', read: ({sent}) => sent},
  retries_total: {help: 'Attempts of an exporter that failed.', read: ({retried}) => retried},
  refused_total: {help: 'Records that the receiver refused for good.', read: ({refused}) => refused},
  missed_total: {help: 'Records that were dropped before they could be exported.', read: ({missed}) => missed},
  truncated_total: {help: 'Records sent without their longest fields.', read: ({truncated}) => truncated},
};
const GAUGES: typeof COUNTERS = {
  up: {help: '1 if the last attempt of the exporter did not fail.', read: ({state}) => (state === 'RETRYING' ? 0 : 1)},
  lag_records: {help: 'Records that the exporter has not looked at.', read: ({lagRecords}) => lagRecords},
  lag_seconds: {help: 'How long the oldest of them waits.', read: ({lagSeconds}) => lagSeconds},
};

export const showExporters = (exporters: ShownExporters, registers: Registry[]): void => {
  // One look for all metrics of a scrape.
  let look: Promise<readonly ExporterHealth[]> | undefined;
  const all = (): Promise<readonly ExporterHealth[]> => {
    look ??= exporters
      .health()
      .catch(() => [])
      .finally(() => {
        look = undefined;
      });
    return look;
  };
  const show = (Metric: typeof Counter | typeof Gauge, metrics: typeof COUNTERS): void => {
    for (const [name, {help, read}] of Object.entries(metrics))
      new Metric({
        name: `palisade_export_${name}`,
        help,
        labelNames: ['exporter'],
        registers,
        async collect() {
          const shown = await all();
          this.reset();
          for (const health of shown) this.inc({exporter: health.name}, read(health));
        },
      });
  };
  show(Counter, COUNTERS);
  show(Gauge, GAUGES);
};
