// SPDX-License-Identifier: Apache-2.0
/** What the log has of decisions whose request failed half way. */
import {formatTimestamp, parseIdsEndpointName} from '@palisade/ids-wire';
import {expect, test} from 'vitest';
import type {Caller} from '../auth.ts';
import {recordIdOf} from '../records/record-id.ts';
import type {RecordStore} from '../records/record-store.ts';
import {MemoryRecordStore} from '../testing/memory-record-store.ts';
import {threatRecord} from '../testing/threat-record.ts';
import {decideAll, decideThreat} from './decide.ts';

const START_MS = Date.parse('2026-01-01T00:00:00Z');
const ENDPOINT = 'projects/p/locations/local/endpoints/guard';
const NAME = parseIdsEndpointName(ENDPOINT) ?? {project: '', location: '', endpointId: ''};
const CALLER = {actingName: 'ann', requestor: {name: 'ann', groups: []}} as unknown as Caller;
const BATCH = {filter: 'alert_severity=LOW', sinceMs: undefined, untilMs: undefined, comment: undefined};

const threatOf = (i: number) =>
  threatRecord({
    threat_id: '1:1',
    name: 'threat',
    alert_severity: 'LOW',
    alert_time: formatTimestamp(START_MS + i * 1000),
    source_port: '40000',
    endpoint: ENDPOINT,
  });

const open = async (count: number) => {
  const records = new MemoryRecordStore();
  const threats = Array.from({length: count}, (_, i) => ({id: `event-${i}`, record: threatOf(i)}));
  const counters = {seen: count, stored: count, filtered: 0, excepted: 0, lost: 0};
  await records.commit({endpoint: ENDPOINT, checkpoint: undefined, counters, threats, traffic: []});
  const lines: Record<string, unknown>[] = [];
  const ignore = (): void => undefined;
  const log = {debug: ignore, info: (fields: object) => void lines.push({...fields}), warn: ignore, error: ignore};
  const deps = (over: Partial<RecordStore>) => {
    const store = new Proxy<RecordStore>(records, {
      get: (of, key) => {
        const value = Reflect.get(over, key) ?? Reflect.get(of, key, of);
        return typeof value === 'function' ? value.bind(of) : value;
      },
    });
    return {records: store, service: {clock: {now: () => START_MS}, log}};
  };
  return {records, lines, deps};
};

const inSteps =
  (...steps: readonly (() => number)[]): RecordStore['triage'] =>
  async (_target, _change, onStep) => {
    const sum = {matched: 0, changed: 0};
    for (const step of steps) {
      const changed = step();
      onStep?.({matched: changed, changed});
      sum.matched += changed;
      sum.changed += changed;
    }
    return sum;
  };
const fails = (): never => {
  throw new Error('the disk is full');
};

test('44-4 each step of a batch that is on disk has its line, also when the next one fails', async () => {
  const {lines, deps} = await open(7);
  const triage = inSteps(
    () => 3,
    () => 2,
    fails,
  );
  const done = decideAll(deps({triage}), CALLER, NAME, {...BATCH, action: 'acknowledge', validateOnly: false});
  await expect(done).rejects.toThrow('the disk is full');
  const same = {user: 'ann', action: 'acknowledge', endpoint: ENDPOINT, filter: BATCH.filter, matched: 7};
  expect(lines).toMatchObject([
    {...same, changed: 3},
    {...same, changed: 2, changedBefore: 3},
  ]);
  expect(lines[0]).not.toHaveProperty('changedBefore');
});

test('44-4 a batch that found nothing to change has one line', async () => {
  const {lines, deps} = await open(2);
  const batch = {...BATCH, action: 'acknowledge', validateOnly: false};
  expect(await decideAll(deps({}), CALLER, NAME, {...batch, action: 'acknowledge'})).toEqual({matched: 2, changed: 2});
  expect(await decideAll(deps({}), CALLER, NAME, {...batch, action: 'acknowledge'})).toEqual({matched: 2, changed: 0});
  expect(lines.map(({changed}) => changed)).toEqual([2, 0]);
});

test('44-4 a decision is in the log, also when its record cannot be read afterwards', async () => {
  const {lines, deps, records} = await open(1);
  const id = recordIdOf('event-0', threatOf(0));
  let reads = 0;
  const get: RecordStore['get'] = (...of) => (reads++ === 0 ? records.get(...of) : fails());
  const decided = decideThreat(deps({get}), CALLER, {name: NAME, id}, {action: 'escalate', comment: undefined});
  await expect(decided).rejects.toThrow('the disk is full');
  expect(lines).toMatchObject([{user: 'ann', action: 'escalate', endpoint: ENDPOINT, threat: id, changed: 1}]);
});
