// SPDX-License-Identifier: Apache-2.0
/** The queues of controllers under upstream's names. Ref: kubernetes v1.36 component-base/metrics/prometheus/workqueue; schemas/kubernetes. */
import {QUEUE_BUCKETS_S, type QueueCounts, type Queues} from '@palisade/apiserver';
import {Counter, Gauge, type Registry} from 'prom-client';
import {CountedHistogram} from './histogram.ts';

const labelNames = ['name'] as const;

type Shown = {readonly name: string; readonly help: string; readonly read: (counts: QueueCounts) => number};

const GAUGES: readonly Shown[] = [
  {name: 'workqueue_depth', help: 'Current depth of workqueue', read: ({depth}) => depth},
  {
    name: 'workqueue_unfinished_work_seconds',
    help: "How many seconds of work has done that is in progress and hasn't been observed by work_duration. Large values indicate stuck threads. One can deduce the number of stuck threads by observing the rate at which this increases.",
    read: ({unfinishedSeconds}) => unfinishedSeconds,
  },
];
const COUNTERS: readonly Shown[] = [
  {name: 'workqueue_adds_total', help: 'Total number of adds handled by workqueue', read: ({adds}) => adds},
  {name: 'workqueue_retries_total', help: 'Total number of retries handled by workqueue', read: ({retries}) => retries},
];
const HISTOGRAMS = [
  {
    name: 'workqueue_queue_duration_seconds',
    help: 'How long in seconds an item stays in workqueue before being requested.',
    read: ({waited}: QueueCounts) => waited,
  },
  {
    name: 'workqueue_work_duration_seconds',
    help: 'How long in seconds processing an item from workqueue takes.',
    read: ({worked}: QueueCounts) => worked,
  },
];

export const showQueues = (queues: Queues, registers: Registry[]): void => {
  for (const {read, ...of} of GAUGES)
    new Gauge({
      ...{...of, labelNames, registers},
      collect() {
        for (const counts of queues.all()) this.set({name: counts.name}, read(counts));
      },
    });
  for (const {read, ...of} of COUNTERS)
    new Counter({
      ...{...of, labelNames, registers},
      collect() {
        this.reset();
        for (const counts of queues.all()) this.inc({name: counts.name}, read(counts));
      },
    });
  for (const {read, ...of} of HISTOGRAMS)
    new CountedHistogram({
      ...{...of, labelNames, registers, bounds: QUEUE_BUCKETS_S},
      *read() {
        for (const counts of queues.all()) yield {labels: {name: counts.name}, values: read(counts)};
      },
    });
};
