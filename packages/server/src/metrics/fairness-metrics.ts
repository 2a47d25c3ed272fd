// SPDX-License-Identifier: Apache-2.0
/** Priority levels and bounds of users, under upstream's names. Ref: kubernetes v1.36 apiserver/pkg/util/flowcontrol/metrics. */
import {type Fairness, type LaneCounts, WAIT_BUCKETS_S, type WaitTimes} from '@palisade/apiserver';
import {Counter, Gauge, Histogram, type Registry} from 'prom-client';

const LANE = ['priority_level', 'flow_schema'] as const;

type Labels = {readonly priority_level: string; readonly flow_schema: string};

/** With the labels of each flow schema. */
const eachLane = (fairness: Fairness, action: (labels: Labels, counts: LaneCounts) => void): void => {
  for (const {level, lanes} of fairness.levels)
    for (const counts of lanes) action({priority_level: level.name, flow_schema: counts.schema}, counts);
};

const gauges = (fairness: Fairness, registers: Registry[]): void => {
  const show = (name: string, help: string, read: (counts: LaneCounts) => number): void => {
    new Gauge({
      ...{name: `apiserver_flowcontrol_${name}`, help, labelNames: LANE, registers},
      collect() {
        eachLane(fairness, (labels, counts) => this.set(labels, read(counts)));
      },
    });
  };
  show('current_inqueue_requests', 'Requests that wait for seats.', ({waiting}) => waiting);
  show('current_executing_requests', 'Requests that hold seats.', ({executing}) => executing);
  show('current_executing_seats', 'Seats that requests hold.', ({seats}) => seats);
  new Gauge({
    name: 'apiserver_flowcontrol_nominal_limit_seats',
    help: 'Seats of a priority level; 0 for the exempt one, which has no limit.',
    labelNames: ['priority_level'],
    registers,
    collect() {
      for (const {level} of fairness.levels) this.set({priority_level: level.name}, level.seats);
    },
  });
  new Gauge({
    name: 'apiserver_current_inflight_requests',
    help: 'Requests that hold seats, by kind: mutating or readOnly.',
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
    help: 'Requests that got seats.',
    labelNames: LANE,
    registers,
    collect() {
      this.reset();
      eachLane(fairness, (labels, {dispatched}) => this.inc(labels, dispatched));
    },
  });
  new Counter({
    name: 'apiserver_flowcontrol_rejected_requests_total',
    help: 'Requests that got no seats, by reason.',
    labelNames: [...LANE, 'reason'],
    registers,
    collect() {
      this.reset();
      eachLane(fairness, (labels, {rejected}) => {
        for (const [reason, count] of Object.entries(rejected)) this.inc({...labels, reason}, count);
      });
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

const WAIT = {
  name: 'apiserver_flowcontrol_request_wait_duration_seconds',
  help: 'How long requests waited for seats.',
};

type Shown = Awaited<ReturnType<Histogram['get']>>;

/** The library's own would look at all labels again for every request; this one reads what is counted anyway. */
class WaitHistogram extends Histogram {
  readonly #fairness: Fairness;

  constructor(fairness: Fairness, registers: Registry[]) {
    super({
      ...WAIT,
      labelNames: [...LANE, 'execute'],
      buckets: [...WAIT_BUCKETS_S],
      registers,
    });
    this.#fairness = fairness;
  }

  /** What the registry reads. */
  getForPromString(): Promise<Shown> {
    return this.get();
  }

  override async get(): Promise<Shown> {
    const values: Shown['values'] = [];
    eachLane(this.#fairness, (labels, {waits}) => {
      values.push(...seriesOf({...labels, execute: 'true'}, waits.executed));
      values.push(...seriesOf({...labels, execute: 'false'}, waits.rejected));
    });
    return {...WAIT, type: 'histogram', aggregator: 'sum', values} as unknown as Shown; // the library declares a number as type, and prints a word
  }
}

const seriesOf = (labels: Readonly<Record<string, string>>, {counts, sumSeconds}: WaitTimes) => {
  let total = 0;
  const buckets = [...WAIT_BUCKETS_S, '+Inf'].map((le, i) => {
    total += counts[i] ?? 0;
    return {metricName: `${WAIT.name}_bucket`, labels: {le, ...labels}, value: total};
  });
  return [
    ...buckets,
    {metricName: `${WAIT.name}_sum`, labels, value: sumSeconds},
    {metricName: `${WAIT.name}_count`, labels, value: total},
  ];
};

export const showFairness = (fairness: Fairness, registers: Registry[]): void => {
  gauges(fairness, registers);
  counters(fairness, registers);
  new WaitHistogram(fairness, registers);
};
