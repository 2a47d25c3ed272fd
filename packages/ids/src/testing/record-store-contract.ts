// SPDX-License-Identifier: Apache-2.0
/** What every record store does. Run by the tests of each driver; `reopen` closes a store and opens its data again where it outlives that. */
import {formatMicros, type Severity, type ThreatRecord, type TrafficRecord} from '@palisade/ids-wire';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {recordIdOf} from '../records/record-id.ts';
import type {RecordBatch} from '../records/record-sink.ts';
import type {RecordSelection, RecordStore, StoredRecord} from '../records/record-store.ts';
import {threatRecord} from './threat-record.ts';

export type ContractStore = {
  readonly store: RecordStore;
  /** Undefined: its data does not outlive it. */
  readonly reopen: (() => Promise<RecordStore>) | undefined;
  readonly end: () => Promise<void>;
};

export const T0 = Date.UTC(2026, 0, 1, 12);
export const A = 'projects/p/locations/l/endpoints/a';
export const B = 'projects/p/locations/l/endpoints/b';
const NAME = {project: 'p', location: 'l', endpointId: 'a'};
const EVERY = {project: '-', location: '-', endpointId: '-'};

type Write<R> = {readonly id: string; readonly record: R; readonly evidence?: string};

/** Number `i` is from `i` milliseconds after T0. */
export const threat = (i: number, more: Partial<ThreatRecord> = {}, evidence?: string): Write<ThreatRecord> => ({
  id: `0000-1111-${i}`,
  record: threatRecord({
    threat_id: `1:${i % 10}`,
    name: `threat ${i % 10}`,
    alert_severity: 'LOW',
    alert_time: '2026-01-01T12:00:00Z',
    source_port: String(40_000 + (i % 10_000)),
    endpoint: A,
    event_time: formatMicros((T0 + i) * 1000),
    ...more,
  }),
  ...(evidence === undefined ? {} : {evidence}),
});

export const flow = (i: number, more: Partial<TrafficRecord> = {}): Write<TrafficRecord> => ({
  id: `0000-1111-${i}`,
  record: {
    start_time: '2026-01-01T12:00:00Z',
    elapsed_time: '3',
    network: 'net',
    source_ip_address: '192.0.2.1',
    destination_ip_address: '2001:db8::2',
    source_port: String(i % 65_536),
    destination_port: '80',
    ip_protocol: 'tcp',
    application: 'http',
    session_id: '7',
    repeat_count: '1',
    total_bytes: '100',
    total_packets: '6',
    endpoint: A,
    event_time: formatMicros((T0 + i) * 1000),
    ...more,
  },
});

export const batch = (more: Partial<RecordBatch> = {}): RecordBatch => ({
  endpoint: A,
  checkpoint: {device: 'd', inode: 'i', offset: 1},
  counters: {seen: 0, stored: 0, filtered: 0, excepted: 0, lost: 0},
  threats: [],
  traffic: [],
  ...more,
});

const THREATS: RecordSelection = {kind: 'threats', name: EVERY, filter: ''};
const idOf = ({id, record}: Write<ThreatRecord>): string => recordIdOf(id, record);
const range = <T>(from: number, to: number, make: (i: number) => T): T[] =>
  Array.from({length: to - from}, (_, i) => make(from + i));

export const readAll = async (store: RecordStore, selection: RecordSelection = THREATS): Promise<StoredRecord[]> => {
  const found: StoredRecord[] = [];
  for (let after: Awaited<ReturnType<RecordStore['page']>>['next']; ; ) {
    const page = await store.page({...selection, orderBy: '', after, limit: 100});
    found.push(...page.records);
    after = page.next;
    if (after === undefined) return found;
  }
};

export const recordStoreContract = (driver: string, open: () => Promise<ContractStore>): void => {
  describe(`44-1 record store ${driver}`, () => {
    let made: ContractStore;
    let store: RecordStore;
    beforeEach(async () => {
      made = await open();
      ({store} = made);
      await store.start();
    });
    afterEach(() => made.end());

    writing(() => store);
    reading(() => store);
    deciding(() => store);

    test('keeps everything over a restart', async ({skip}) => {
      if (made.reopen === undefined) return skip('its data does not outlive it');
      await store.commit(
        batch({threats: [threat(1, {}, 'line 1'), threat(2, {repeat_count: '7'})], traffic: [flow(3)]}),
      );
      await store.triage({endpoint: A, id: idOf(threat(1))}, {action: 'acknowledge', user: 'ann', timeMs: T0});
      await store.saveReader('out', {history: 'h', kinds: {threats: {sequence: 1, timeMs: 2}}});
      const [threats, flows] = [await readAll(store), await readAll(store, {...THREATS, kind: 'traffic'})];
      const [before, counts] = [await store.position(), await store.counts(A)];
      const again = await made.reopen();
      await again.start();
      expect(await readAll(again)).toEqual(threats);
      expect(threats[0]?.record).toMatchObject({acknowledged: true, acknowledged_by: 'ann'});
      expect(await readAll(again, {...THREATS, kind: 'traffic'})).toEqual(flows);
      expect((await again.position()).sequence).toBe(before.sequence);
      expect(await again.holds(before)).toBe(true);
      expect(await again.counts(A)).toEqual(counts);
      expect(await again.evidence(A, idOf(threat(1)))).toBe('line 1');
      expect(await again.loadReader('out')).toMatchObject({history: 'h'});
      expect((await again.load(A))?.checkpoint).toEqual({device: 'd', inode: 'i', offset: 1});
    });
  });
};

const writing = (store: () => RecordStore): void => {
  test('keeps the position of a sensor with its records, until it is forgotten', async () => {
    expect(await store().load(A)).toBeUndefined();
    expect(await store().has(A)).toBe(false);
    const counters = {seen: 3, stored: 2, filtered: 1, excepted: 0, lost: 0};
    await store().commit(batch({counters, flows: {sampledOut: 4}, threats: [threat(1)]}));
    const checkpoint = {device: 'd', inode: 'i', offset: 1};
    expect(await store().load(A)).toMatchObject({checkpoint, counters, flows: {sampledOut: 4}});
    await store().forget(A);
    expect(await store().load(A)).toBeUndefined();
    expect(await store().has(A)).toBe(true);
    expect(await store().counts(A)).toMatchObject({threats: 1});
  });

  test('a record that is written again is the same record, with its higher repeat count', async () => {
    await store().commit(batch({threats: [threat(1)]}));
    await store().commit(batch({threats: [threat(1, {repeat_count: '4'}), threat(2)]}));
    expect((await readAll(store())).map(({record}) => record.repeat_count)).toEqual(['4', '1']);
    expect(await store().counts(A)).toMatchObject({threats: 2, traffic: 0});
    expect((await store().aggregate({...THREATS, groupsMax: 1})).total).toEqual({records: 2, alerts: 5});
  });

  test('the same place in the files of two endpoints makes two records', async () => {
    await store().commit(batch({threats: [threat(1)]}));
    await store().commit(batch({endpoint: B, threats: [threat(1, {endpoint: B})]}));
    expect(await readAll(store())).toHaveLength(2);
    expect((await readAll(store(), {...THREATS, name: NAME})).map(({endpoint}) => endpoint)).toEqual([A]);
  });

  test('a batch that is too large is refused', async () => {
    const threats = range(0, store().batchRecordsMax + 1, i => threat(i));
    await expect(store().commit(batch({threats}))).rejects.toMatchObject({code: 'too-large'});
    expect(await readAll(store())).toEqual([]);
  });

  test('commits that are not waited for are all there, in order', async () => {
    await Promise.all(range(0, 30, i => store().commit(batch({threats: [threat(i)]}))));
    expect(await readAll(store())).toHaveLength(30);
    const {records, sequence, isLast} = await store().changes({...THREATS, after: 0, updates: false, limit: 100});
    expect(records.map(({id}) => id)).toEqual(range(0, 30, i => idOf(threat(i))));
    expect([sequence, isLast]).toEqual([(await store().position()).sequence, true]);
  });

  test('evidence belongs to its threat', async () => {
    await store().commit(batch({threats: [threat(1, {}, '{"event_type":"alert"}'), threat(2)]}));
    expect(await store().evidence(A, idOf(threat(1)))).toBe('{"event_type":"alert"}');
    expect(await store().evidence(A, idOf(threat(2)))).toBeUndefined();
    expect(await store().evidence(B, idOf(threat(1)))).toBeUndefined();
  });
};

const SEVERITIES: readonly Severity[] = ['INFORMATIONAL', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'];

const reading = (store: () => RecordStore): void => {
  const fill = (): Promise<void> =>
    store().commit(
      batch({threats: range(0, 250, i => threat(i, {alert_severity: SEVERITIES[i % 5] ?? 'LOW'})), traffic: [flow(1)]}),
    );

  test('pages go through all severities in time order, and each record is in one of them', async () => {
    await fill();
    expect((await readAll(store())).map(({id}) => id)).toEqual(range(0, 250, i => idOf(threat(i))));
  });

  test('filters, times and order', async () => {
    await fill();
    const high = await readAll(store(), {...THREATS, filter: 'alert_severity=HIGH'});
    expect(high).toHaveLength(50);
    const between = await readAll(store(), {...THREATS, sinceMs: T0 + 10, untilMs: T0 + 20});
    expect(between.map(({id}) => id)).toEqual(range(10, 20, i => idOf(threat(i))));
    const newest = await store().page({...THREATS, orderBy: 'event_time desc', limit: 3});
    expect(newest.records.map(({id}) => id)).toEqual([249, 248, 247].map(i => idOf(threat(i))));
    const next = await store().page({...THREATS, orderBy: 'event_time desc', after: newest.next, limit: 2});
    expect(next.records.map(({id}) => id)).toEqual([246, 245].map(i => idOf(threat(i))));
  });

  test('a record is found by its id', async () => {
    await fill();
    expect(await store().get('threats', A, idOf(threat(3)))).toMatchObject({record: {threat_id: '1:3'}});
    expect(await store().get('traffic', A, idOf(threat(3)))).toBeUndefined();
    expect(await store().get('threats', A, 'nonsense')).toBeUndefined();
  });

  test('sums by severity and threat', async () => {
    await fill();
    const request = {...THREATS, histogramMs: 60_000, groupBy: 'threat', groupsMax: 3} as const;
    const {total, histogram, groups, moreGroups} = await store().aggregate(request);
    expect(total).toEqual({records: 250, alerts: 250});
    expect(histogram).toEqual([
      {startMs: T0, records: 250, alerts: 250, classes: Object.fromEntries(SEVERITIES.map(name => [name, 50]))},
    ]);
    expect(groups?.map(({key, records}) => [key, records])).toEqual([
      ['1:0', 25],
      ['1:1', 25],
      ['1:2', 25],
    ]);
    expect(moreGroups).toBe(7);
  });

  test('changes come once, and updates of them when they are asked for', async () => {
    await store().commit(batch({threats: [threat(1), threat(2)]}));
    const {sequence} = await store().position();
    await store().commit(batch({threats: [threat(1, {repeat_count: '2'}), threat(3)]}));
    const changes = async (updates: boolean): Promise<(string | undefined)[]> => {
      const page = await store().changes({...THREATS, after: sequence, updates, limit: 10});
      return page.records.map(({id}) => id);
    };
    expect(await changes(false)).toEqual([idOf(threat(3))]);
    expect(await changes(true)).toEqual([idOf(threat(1)), idOf(threat(3))]);
    expect(await store().backlog('threats', sequence)).toBe(1);
  });

  test('the position of a reader that is gone is kept for a while, then forgotten; one that is back is kept', async () => {
    const position = {history: 'h', kinds: {threats: {sequence: 1, timeMs: T0}}};
    for (const name of ['out/a', 'out/b', 'other']) await store().saveReader(name, position);
    const forget = (nowMs: number, ...keep: readonly string[]) =>
      store().forgetReaders({prefix: 'out/', keep, nowMs, ageMs: 1_000});
    expect(await forget(T0, 'out/a')).toEqual([]);
    expect(await forget(T0 + 900)).toEqual([]);
    expect(await forget(T0 + 1_000)).toEqual([]);
    expect(await store().loadReader('out/b')).toMatchObject(position);
    await store().saveReader('out/a', position);
    expect(await forget(T0 + 2_000)).toEqual(['out/b']);
    expect(await store().loadReader('out/b')).toBeUndefined();
    expect([await store().loadReader('out/a'), await store().loadReader('other')]).toMatchObject([position, position]);
    expect(await forget(T0 + 3_000)).toEqual([]);
    expect(await forget(T0 + 3_001)).toEqual(['out/a']);
  });

  test('a listener hears of each commit until it ends', async () => {
    let heard = 0;
    const end = store().onChange(() => heard++);
    await store().commit(batch({threats: [threat(1)]}));
    expect(heard).toBe(1);
    end();
    await store().commit(batch({threats: [threat(2)]}));
    expect(heard).toBe(1);
  });
};

const deciding = (store: () => RecordStore): void => {
  const acknowledge = {action: 'acknowledge', user: 'ann', timeMs: T0} as const;

  test('a decision is kept when the record is written again, and is a change', async () => {
    await store().commit(batch({threats: [threat(1)]}));
    const {sequence} = await store().position();
    const target = {endpoint: A, id: idOf(threat(1))};
    expect(await store().triage(target, acknowledge)).toEqual({matched: 1, changed: 1});
    expect(await store().triage(target, acknowledge)).toEqual({matched: 1, changed: 0});
    const comment = {action: 'comment', user: 'bob', timeMs: T0 + 1, text: 'false alarm'} as const;
    expect(await store().triage(target, comment)).toEqual({matched: 1, changed: 1});
    await store().commit(batch({threats: [threat(1, {repeat_count: '5'})]}));
    const [found] = await readAll(store(), {...THREATS, filter: 'acknowledged=true'});
    expect(found?.record).toMatchObject({
      repeat_count: '5',
      acknowledged_by: 'ann',
      comments: [{user: 'bob', text: 'false alarm'}],
    });
    const {records} = await store().changes({...THREATS, after: sequence, updates: true, limit: 10});
    expect(records).toHaveLength(1);
  });

  test('a decision about all that match changes those that differ', async () => {
    await store().commit(batch({threats: range(0, 30, i => threat(i, {alert_severity: i < 10 ? 'HIGH' : 'LOW'}))}));
    await store().triage({endpoint: A, id: idOf(threat(0))}, acknowledge);
    const high = {...THREATS, filter: 'alert_severity=HIGH'};
    expect(await store().triage(high, acknowledge)).toEqual({matched: 10, changed: 9});
    expect(await readAll(store(), {...THREATS, filter: 'acknowledged=true'})).toHaveLength(10);
    expect(await store().triage({endpoint: B, id: idOf(threat(0))}, acknowledge)).toEqual({matched: 0, changed: 0});
  });
};
