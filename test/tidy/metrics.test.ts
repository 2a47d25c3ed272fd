// SPDX-License-Identifier: Apache-2.0
/** The tables of metrics in the guide are those of /metrics: names, types and labels. */
import {readFileSync} from 'node:fs';
import {
  Buckets,
  DEFAULT_LIMITS,
  Fairness,
  Queues,
  RequestCounts,
  SentEvents,
  silentLog,
  systemClock,
  systemTimers,
  UnreadAnswers,
} from '@palisade/apiserver';
import type {ExporterHealth} from '@palisade/ids';
import {MemoryRecordStore} from '@palisade/ids/memory-record-store';
import type {Counted} from '@palisade/sensor';
import {expect, test} from 'vitest';
import {OpenWatches} from '../../packages/apiserver/src/cache/watch/open-watches.ts';
import type {SensorSpec} from '../../packages/ids/src/sensor-host.ts';
import {FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {ruleSet} from '../../packages/ids/src/testing/rule-sets.ts';
import {Sessions} from '../../packages/server/src/console/sessions.ts';
import {createMetrics, type Metrics} from '../../packages/server/src/metrics/metrics.ts';
import {RecordWrites} from '../../packages/server/src/metrics/record-metrics.ts';
import type {AnyRequest, AnyResponse} from '../../packages/server/src/port/listeners.ts';
import {documentedMetrics} from '../observability/documented.ts';

/** Metrics of prom-client that may have no value yet, and so show no labels. */
const LATER: ReadonlyMap<string, string> = new Map([
  ['nodejs_active_requests', '`type`'],
  ['nodejs_gc_duration_seconds', '`kind`'],
]);

/** One of everything that the Kubernetes API counts. */
const showRequests = (metrics: Metrics): void => {
  const [counts, sent] = [new RequestCounts({now: () => 0}), new SentEvents()];
  const kind = {group: '', version: 'v1', resource: 'endpoints'};
  for (const verb of ['GET', 'WATCH']) {
    const series = counts.seriesOf({verb, ...kind, subresource: '', scope: '', component: '', dry_run: ''});
    series.countCode(200);
    series.seconds.add(1);
  }
  counts.authenticated('user', 'jane');
  counts.authorized('allowed');
  sent.sizesOf(kind).add(1);
  metrics.showApi({counts, sent, stored: () => [{...kind, count: 1}]});
};

const NOTHING_COUNTED: Counted = {
  packets: {
    received: 0,
    bytes: 0,
    drops: {kernel: 0, socket: 0, queue: 0, crash: 0, stop: 0, notCaptured: 0, engine: 0},
    malformed: 0,
    foreignVni: 0,
    refusedSender: 0,
    notInspectable: 0,
  },
  blindSeconds: 0,
  counters: {seen: 0, stored: 0, filtered: 0, excepted: 0, lost: 0},
  engine: undefined,
};

const EXPORTER: ExporterHealth = {
  ...{name: 'siem', receiver: 'syslog+tcp://logs.example', state: 'OK', lagRecords: 0, lagSeconds: 0, lastError: ''},
  ...{sent: 0, retried: 0, refused: 0, missed: 0, truncated: 0},
};

/** What a server with both sides shows, after one answer. */
const shown = async (): Promise<string> => {
  const metrics = createMetrics({node: true});
  showRequests(metrics);
  metrics.showCertificates(() => ({serving: 0, ca: 0}));
  metrics.showStore({
    isWritable: () => true,
    commits: new Buckets([1]),
    store: {
      space: async () => ({pageBytes: 8_192, pages: 4, freePages: 1, walBytes: 0}),
      history: () => ({revisions: 0, versions: 0}),
    },
    compaction: {counts: {succeeded: 0, failed: 0, lastMs: 0}, ageMs: () => 0},
    onCompactionStep: report => report({of: 'erase', ms: 1, erased: 1}),
  });
  metrics.showWatches(new OpenWatches(systemTimers, silentLog));
  metrics.showRights({count: 0, streams: 0, ended: {unauthenticated: 0, forbidden: 0, unverified: 0}});
  metrics.showUnread(new UnreadAnswers({limits: DEFAULT_LIMITS, timers: systemTimers, log: silentLog}));
  metrics.showLogins({refused: 0, limited: 0});
  metrics.showSessions(new Sessions({clock: systemClock, timers: systemTimers}));
  const queues = new Queues(systemClock);
  queues.open('namespace');
  metrics.showQueues(queues);
  metrics.showFairness(new Fairness({clock: systemClock, timers: systemTimers}));
  const host = Object.assign(new FakeSensorHost(), {counted: () => NOTHING_COUNTED});
  host.sets = [ruleSet('default')];
  host.running.set('guard', {endpoint: 'guard'} as SensorSpec);
  metrics.showChecks({
    counts: {
      ...{passed: 0, failed: 0, notMade: 0, targets: 0, underWay: 0, waiting: 0},
      ...{started: 0, lateMs: 0, threadStarts: 0},
    },
  });
  metrics.showOidc({counts: {succeeded: 0, failed: 0}, keys: 0});
  metrics.showSensors(host);
  const writes = new RecordWrites();
  writes.counts.set('HIGH', 1);
  metrics.showRecords(new MemoryRecordStore(), writes);
  metrics.showBackups({counts: {lastSuccess: 0, lastSeconds: 0, lastBytes: 0, failures: 0}});
  metrics.showAudit({counts: {events: 0, errors: 0, rejected: 0}, isWritable: true});
  metrics.showExporters({health: async () => [EXPORTER]});
  const finish: (() => void)[] = [];
  const answer = {statusCode: 200, once: (_event: 'finish', action: () => void) => finish.push(action)};
  metrics.counted(() => {})({method: 'GET', url: '/api'}, answer);
  for (const action of finish) action();
  const {promise, resolve} = Promise.withResolvers<string>();
  await metrics.open({} as AnyRequest, {setHeader: () => {}, end: resolve} as unknown as AnyResponse);
  return promise;
};

type Metric = {readonly name: string; readonly type: string; readonly labels: string};

const documented = documentedMetrics().map(({name, type, labelText}): Metric => ({name, type, labels: labelText}));

const labelsIn = (text: string, name: string): string | undefined => {
  const series = new RegExp(`^${name}(?:_sum)?(?:\\{(.*)\\})? \\S+$`, 'm').exec(text);
  if (series === null) return undefined;
  return [...(series[1] ?? '').matchAll(/(\w+)="/g)].map(label => `\`${label[1]}\``).join(', ');
};

test('every metric has its row, with its type and labels; no row has no metric', async () => {
  const text = await shown();
  const there = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']): Metric => {
    const labels = labelsIn(text, name) ?? LATER.get(name) ?? 'no series';
    return {name, type, labels};
  });
  const byName = (a: Metric, b: Metric): number => (a.name < b.name ? -1 : 1);
  expect(there.length).toBeGreaterThan(40);
  expect(documented.toSorted(byName)).toEqual(there.toSorted(byName));
});

type Upstream = {readonly type: string; readonly help: string; readonly labels: string[]; readonly buckets?: number[]};

test('49-6 metrics under upstream’s names have its type, help, labels and buckets', async () => {
  const upstream = JSON.parse(readFileSync('schemas/kubernetes/v1.36/metrics.json', 'utf8')) as Record<
    string,
    Upstream
  >;
  const text = await shown();
  const lineOf = (what: string, name: string) => new RegExp(`^# ${what} ${name} (.*)$`, 'm').exec(text)?.[1];
  const bucketsOf = (name: string) => [
    ...new Set([...text.matchAll(new RegExp(`^${name}_bucket\\{le="([\\d.e+-]+)"`, 'gm'))].map(([, le]) => Number(le))),
  ];
  const ours = Object.entries(upstream).map(([name, {buckets}]): [string, Upstream] => [
    name,
    {
      type: lineOf('TYPE', name) ?? '',
      help: lineOf('HELP', name) ?? '',
      labels: [...(labelsIn(text, name) ?? '').matchAll(/`(\w+)`/g)].map(([, label = '']) => label).toSorted(),
      ...(buckets === undefined ? {} : {buckets: bucketsOf(name)}),
    },
  ]);
  expect(Object.fromEntries(ours)).toEqual(upstream);
  const own = [...text.matchAll(/^# TYPE ((?:apiserver|auth|workqueue)\w+)/gm)].map(([, name = '']) => name);
  expect(own.filter(name => !(name in upstream))).toEqual([]);
});
