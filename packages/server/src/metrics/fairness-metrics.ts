// SPDX-License-Identifier: Apache-2.0
/** Priority levels and bounds of users, under upstream's names. Ref: kubernetes v1.36 apiserver/pkg/util/flowcontrol/metrics. */
import {type Fairness, type LaneCounts, WAIT_BUCKETS_S} from '@palisade/apiserver';
import {Counter, Gauge, type Registry} from 'prom-client';
import {CountedHistogram} from './histogram.ts';

const LANE = ['priority_level', 'flow_schema'] as const;

type Labels = {readonly priority_level: string; readonly flow_schema: string};

/** Each flow schema with its labels. */
function* lanesOf(fairness: Fairness): Generator<{readonly labels: Labels; readonly counts: LaneCounts}> {
  for (const {level, lanes} of fairness.levels)
    for (const counts of lanes) yield {labels: {priority_level: level.name, flow_schema: counts.schema}, counts};
}

const gauges = (fairness: Fairness, registers: Registry[]): void => {
  const show = (name: string, help: string, read: (counts: LaneCounts) => number): void => {
    new Gauge({
      ...{name: `apiserver_flowcontrol_${name}`, help, labelNames: LANE, registers},
      collect() {
        for (const {labels, counts} of lanesOf(fairness)) this.set(labels, read(counts));
      },
    });
  };
  show(
    'current_inqueue_requests',
    'Number of requests currently pending in queues of the API Priority and Fairness subsystem',
    ({waiting}) => waiting,
  );
  show(
    'current_executing_requests',
    'Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage in the API Priority and Fairness subsystem',
    ({executing}) => executing,
  );
  show(
    'current_executing_seats',
    'Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem',
    ({seats}) => seats,
  );
  new Gauge({
    name: 'apiserver_flowcontrol_nominal_limit_seats',
    help: 'Nominal number of execution seats configured for each priority level',
    labelNames: ['priority_level'],
    registers,
    collect() {
      for (const {level} of fairness.levels) this.set({priority_level: level.name}, level.seats);
    },
  });
  new Gauge({
    name: 'apiserver_current_inflight_requests',
    help: 'Maximal number of currently used inflight request limit of this apiserver per request kind in last second.',
    labelNames: ['request_kind'],
    registers,
    collect() {
      for (const [kind, {executing}] of Object.entries(fairness.inflight)) this.set({request_kind: kind}, executing);
    },
  });
};

const counters = (fairness: Fairness, registers: Registry[]): void => {
  new Counter({
    name: 'apiserver_flowcontrol_dispatched_requests_total',
    help: 'Number of requests executed by API Priority and Fairness subsystem',
    labelNames: LANE,
    registers,
    collect() {
      this.reset();
      for (const {labels, counts} of lanesOf(fairness)) this.inc(labels, counts.dispatched);
    },
  });
  new Counter({
    name: 'apiserver_flowcontrol_rejected_requests_total',
    help: 'Number of requests rejected by API Priority and Fairness subsystem',
    labelNames: [...LANE, 'reason'],
    registers,
    collect() {
      this.reset();
      for (const {labels, counts} of lanesOf(fairness))
        for (const [reason, count] of Object.entries(counts.rejected)) this.inc({...labels, reason}, count);
    },
  });
  new Counter({
    name: 'palisade_user_bound_refusals_total',
    help: 'Watches, followed streams and long lists refused because a user, or all users, have too many.',
    labelNames: ['bound'],
    registers,
    collect() {
      this.reset();
      for (const [bound, count] of Object.entries(fairness.refusals)) this.inc({bound}, count);
    },
  });
};

export const showFairness = (fairness: Fairness, registers: Registry[]): void => {
  gauges(fairness, registers);
  counters(fairness, registers);
  new CountedHistogram({
    name: 'apiserver_flowcontrol_request_wait_duration_seconds',
    help: 'Length of time a request spent waiting in its queue',
    labelNames: [...LANE, 'execute'],
    bounds: WAIT_BUCKETS_S,
    registers,
    *read() {
      for (const {labels, counts} of lanesOf(fairness)) {
        yield {labels: {...labels, execute: 'true'}, values: counts.waits.executed};
        yield {labels: {...labels, execute: 'false'}, values: counts.waits.rejected};
      }
    },
  });
};
