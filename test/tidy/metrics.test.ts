// SPDX-License-Identifier: Apache-2.0
/** The tables of metrics in the guide are those of /metrics: names, types and labels. */
import {readFileSync} from 'node:fs';
import {silentLog, systemClock, systemTimers} from '@palisade/apiserver';
import type {SuricataSensorHost} from '@palisade/sensor';
import {expect, test} from 'vitest';
import {OpenWatches} from '../../packages/apiserver/src/cache/open-watches.ts';
import type {AnyRequest, AnyResponse} from '../../packages/server/src/run/listeners.ts';
import {createMetrics} from '../../packages/server/src/run/metrics.ts';

const health: NonNullable<ReturnType<SuricataSensorHost['health']>> = {
  status: 'READY',
  reasons: [],
  driver: 'relay',
  pid: 1,
  restarts: 0,
  ruleSetVersion: '',
  rulesLoaded: 0,
  rulesFailed: 0,
  packets: {received: 0, dropped: 0, malformed: 0},
  alerts: {seen: 0, stored: 0, filtered: 0, excepted: 0, lost: 0},
  unknownExceptions: [],
};

/** What a server with both sides shows, after one answer. */
const shown = async (): Promise<string> => {
  const metrics = createMetrics();
  metrics.showWatches(new OpenWatches(systemTimers, systemClock, silentLog));
  const host: Pick<SuricataSensorHost, 'endpoints' | 'health'> = {endpoints: () => ['guard'], health: () => health};
  metrics.showSensors(host as SuricataSensorHost);
  const finish: (() => void)[] = [];
  const answer = {statusCode: 200, once: (_event: 'finish', action: () => void) => finish.push(action)};
  metrics.counted(() => {})({method: 'GET', url: '/api'}, answer);
  for (const action of finish) action();
  const {promise, resolve} = Promise.withResolvers<string>();
  await metrics.open({} as AnyRequest, {setHeader: () => {}, end: resolve} as unknown as AnyResponse);
  return promise;
};

type Metric = {readonly name: string; readonly type: string; readonly labels: string};

const documented = [
  ...readFileSync('docs/guides/operate-the-server.md', 'utf8').matchAll(
    /^\| `(palisade_\w+)` \| (\w+) \|([^|]*)\| \S/gm,
  ),
].map(([, name = '', type = '', labels = '']) => ({name, type, labels: labels.trim()}));

const labelsIn = (text: string, name: string): string | undefined => {
  const series = new RegExp(`^${name}(?:_sum)?(?:\\{(.*)\\})? \\S+$`, 'm').exec(text);
  if (series === null) return undefined; // it has no value yet
  return [...(series[1] ?? '').matchAll(/(\w+)="/g)].map(label => `\`${label[1]}\``).join(', ');
};

test('every metric has its row, with its type and labels; no row has no metric', async () => {
  const text = await shown();
  const there = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']): Metric => {
    const labels = labelsIn(text, name) ?? documented.find(row => row.name === name)?.labels ?? '';
    return {name, type, labels};
  });
  const byName = (a: Metric, b: Metric): number => (a.name < b.name ? -1 : 1);
  expect(there.length).toBeGreaterThan(40);
  expect(documented.toSorted(byName)).toEqual(there.toSorted(byName));
});
