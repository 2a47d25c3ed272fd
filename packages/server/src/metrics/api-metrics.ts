// SPDX-License-Identifier: Apache-2.0
/** The Kubernetes API under upstream's names. Ref: kubernetes v1.36 apiserver/pkg/endpoints/{metrics,filters}, storage/etcd3/metrics; schemas/kubernetes. */
import {
  DURATION_BUCKETS_S,
  EVENT_BYTES_BUCKETS,
  type RequestCounts,
  type RequestSeries,
  type SentEvents,
  SIZE_BUCKETS,
  SLI_BUCKETS_S,
} from '@palisade/apiserver';
import {Counter, Gauge, type Registry} from 'prom-client';
import {CountedHistogram, type CountedSeries} from './histogram.ts';

/** A resource that is stored, and how many objects it has. */
export type StoredResource = {readonly group: string; readonly resource: string; readonly count: number};
export type ShownApi = {
  readonly counts: RequestCounts;
  readonly sent: SentEvents;
  readonly stored: () => Iterable<StoredResource>;
};

const REQUEST = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;
const WATCHED = ['group', 'version', 'resource'] as const;
/** How clients of the metric know what was left out of it. */
const WITHOUT_QUEUES = '(not counting webhook duration and priority & fairness queue wait times)';
const EACH = 'for each verb, group, version, resource, subresource, scope and component';

const showTotals = (counts: RequestCounts, registers: Registry[]): void => {
  new Counter({
    name: 'apiserver_request_total',
    help: 'Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.',
    labelNames: [...REQUEST, 'dry_run', 'code'],
    registers,
    collect() {
      this.reset();
      for (const {labels, codes} of counts.all()) for (const [code, count] of codes) this.inc({...labels, code}, count);
    },
  });
  new Gauge({
    name: 'apiserver_longrunning_requests',
    help: 'Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope and component. Not all requests are tracked this way.',
    labelNames: REQUEST,
    registers,
    collect() {
      this.reset();
      for (const {labels, open} of counts.all()) {
        const {dry_run: _, ...rest} = labels;
        if (open !== undefined) this.inc(rest, open);
      }
    },
  });
};

function* seriesOf(counts: RequestCounts, read: (series: RequestSeries) => CountedSeries['values'] | undefined) {
  for (const series of counts.all()) {
    const values = read(series);
    const {dry_run: _, ...labels} = series.labels;
    if (values !== undefined) yield {labels, values};
  }
}

const showTimes = (counts: RequestCounts, registers: Registry[]): void => {
  new CountedHistogram({
    name: 'apiserver_request_duration_seconds',
    help: 'Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.',
    labelNames: [...REQUEST, 'dry_run'],
    bounds: DURATION_BUCKETS_S,
    registers,
    *read() {
      for (const {labels, seconds} of counts.all())
        if (seconds.counts.some(count => count > 0)) yield {labels, values: seconds};
    },
  });
  new CountedHistogram({
    name: 'apiserver_request_sli_duration_seconds',
    help: `Response latency distribution ${WITHOUT_QUEUES} in seconds ${EACH}.`,
    labelNames: REQUEST,
    bounds: SLI_BUCKETS_S,
    registers,
    read: () => seriesOf(counts, ({ownSeconds}) => ownSeconds),
  });
  new CountedHistogram({
    name: 'apiserver_response_sizes',
    help: 'Response size distribution in bytes for each group, version, verb, resource, subresource, scope and component.',
    labelNames: REQUEST,
    bounds: SIZE_BUCKETS,
    registers,
    read: () => seriesOf(counts, ({sizes}) => sizes),
  });
};

type LoginCounter = {
  readonly name: string;
  readonly help: string;
  readonly label: string;
  readonly read: (counts: RequestCounts) => ReadonlyMap<string, number>;
};

const LOGINS: readonly LoginCounter[] = [
  {
    name: 'authentication_attempts',
    help: 'Counter of authenticated attempts.',
    label: 'result',
    read: ({authentications}) => authentications,
  },
  {
    name: 'authenticated_user_requests',
    help: 'Counter of authenticated requests broken out by username.',
    label: 'username',
    read: ({users}) => users,
  },
  {
    name: 'authorization_attempts_total',
    help: "Counter of authorization attempts broken down by result. It can be either 'allowed', 'denied', 'no-opinion' or 'error'.",
    label: 'result',
    read: ({authorizations}) => authorizations,
  },
];

const showLogins = (counts: RequestCounts, registers: Registry[]): void => {
  for (const {name, help, label, read} of LOGINS)
    new Counter({
      ...{name, help, labelNames: [label], registers},
      collect() {
        this.reset();
        for (const [value, count] of read(counts)) this.inc({[label]: value}, count);
      },
    });
};

const showEvents = (sent: SentEvents, registers: Registry[]): void => {
  new Counter({
    name: 'apiserver_watch_events_total',
    help: 'Number of events sent in watch clients',
    labelNames: WATCHED,
    registers,
    collect() {
      this.reset();
      for (const {of, sizes} of sent.all()) this.inc(of, sizes.total);
    },
  });
  new CountedHistogram({
    name: 'apiserver_watch_events_sizes',
    help: 'Watch event size distribution in bytes',
    labelNames: WATCHED,
    bounds: EVENT_BYTES_BUCKETS,
    registers,
    *read() {
      for (const {of, sizes} of sent.all()) yield {labels: of, values: sizes};
    },
  });
};

const OBJECTS =
  'Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.';

const showObjects = (stored: ShownApi['stored'], registers: Registry[]): void => {
  new Gauge({
    name: 'apiserver_storage_objects',
    help: `[DEPRECATED, consider using apiserver_resource_objects instead] ${OBJECTS}`,
    labelNames: ['resource'],
    registers,
    collect() {
      for (const {group, resource, count} of stored())
        this.set({resource: group === '' ? resource : `${resource}.${group}`}, count);
    },
  });
  new Gauge({
    name: 'apiserver_resource_objects',
    help: OBJECTS,
    labelNames: ['group', 'resource'],
    registers,
    collect() {
      for (const {group, resource, count} of stored()) this.set({group, resource}, count);
    },
  });
};

export const showApi = ({counts, sent, stored}: ShownApi, registers: Registry[]): void => {
  showTotals(counts, registers);
  showTimes(counts, registers);
  showLogins(counts, registers);
  showEvents(sent, registers);
  showObjects(stored, registers);
};
