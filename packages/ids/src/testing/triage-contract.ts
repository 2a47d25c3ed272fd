// SPDX-License-Identifier: Apache-2.0
/** What every driver of the record store does with decisions about threats. */
import {parseIdsEndpointName, type Severity, type ThreatRecord} from '@palisade/ids-wire';
import {describe, expect, test} from 'vitest';
import {TRIAGE_EVENTS_MAX} from '../limits.ts';
import {recordIdOf} from '../records/record-id.ts';
import type {RecordSelection, RecordStore, StoredRecord, TriageChange, TriageSum} from '../records/record-store.ts';
import type {ContractStore} from './record-store-contract.ts';
import {threatRecord} from './threat-record.ts';

type Open = () => Promise<ContractStore>;

const START_MS = Date.parse('2026-01-01T12:00:00Z');
const DAY_MS = 86_400_000;
const [A, B] = ['projects/p/locations/local/endpoints/a', 'projects/p/locations/local/endpoints/b'];
const nameOf = (endpoint: string) => {
  const name = parseIdsEndpointName(endpoint);
  if (name === undefined) throw new Error(`${endpoint} is no endpoint`);
  return name;
};
const ALL = nameOf('projects/-/locations/-/endpoints/-');
const of = (more: Partial<RecordSelection> = {}): RecordSelection => ({
  kind: 'threats',
  name: ALL,
  filter: '',
  ...more,
});

export const threatAt = (endpoint: string, severity: Severity, atMs: number, more: Partial<ThreatRecord> = {}) =>
  threatRecord({
    threat_id: '1:1',
    name: 'threat',
    alert_severity: severity,
    alert_time: new Date(START_MS + atMs).toISOString().replace('.000Z', 'Z'),
    source_port: '40000',
    endpoint,
    ...more,
  });

const eventOf = (i: number): string => `0f0f0f0f-0000-4000-8000-000000000000-${i}`;
export const writeThreats = (store: RecordStore, endpoint: string, threats: readonly ThreatRecord[]): Promise<void> =>
  store.commit({
    endpoint,
    checkpoint: {device: 'd', inode: 'i', offset: 1},
    counters: {seen: 1, stored: 1, filtered: 0, excepted: 0, lost: 0},
    threats: threats.map((record, i) => ({id: eventOf(i), record, evidence: `{"n":${i}}`})),
    traffic: [],
  });
export const idAt = (record: ThreatRecord, i = 0): string => recordIdOf(eventOf(i), record);

export const decision = (action: TriageChange['action'], more: Partial<TriageChange> = {}): TriageChange =>
  ({action, user: 'ann', timeMs: START_MS, ...more}) as TriageChange;

/** Of both endpoints: two days, three severities. */
const OF_A = [threatAt(A, 'LOW', 0), threatAt(A, 'HIGH', 1000), threatAt(A, 'LOW', DAY_MS)] as const;
const OF_B = [threatAt(B, 'LOW', 0), threatAt(B, 'CRITICAL', 2000)] as const;
const writeAll = async (store: RecordStore): Promise<void> => {
  await writeThreats(store, A, OF_A);
  await writeThreats(store, B, OF_B);
};
const lowOfA = {endpoint: A, id: idAt(OF_A[0], 0)};
const highOfA = {endpoint: A, id: idAt(OF_A[1], 1)};
const laterOfA = {endpoint: A, id: idAt(OF_A[2], 2)};

const namesOf = (records: readonly StoredRecord[]): string[] =>
  records.map(({endpoint, id}) => `${endpoint.at(-1)} ${id}`).toSorted();
const found = async (store: RecordStore, filter: string): Promise<string[]> =>
  namesOf((await store.page({...of({filter}), orderBy: '', limit: 100})).records);
const count = async (store: RecordStore, filter: string): Promise<number> =>
  (await store.aggregate({...of({filter}), groupsMax: 0})).total.records;

const opened = async (open: Open): Promise<ContractStore & AsyncDisposable> => {
  const place = await open();
  await place.store.start();
  return {...place, [Symbol.asyncDispose]: place.end};
};

const describeOne = (open: Open): void => {
  test('44-4 a decision about one threat is in its record, in pages and in sums, and in no other record', async () => {
    await using place = await opened(open);
    const {store} = place;
    await writeAll(store);
    const comment = {text: 'ünïcode "quoted"\n🙂', requestor: 'proxy'};
    expect(await store.triage(highOfA, decision('acknowledge', comment))).toEqual({matched: 1, changed: 1});
    expect(await store.triage(highOfA, decision('escalate', {user: 'bob'}))).toEqual({matched: 1, changed: 1});
    expect((await store.get('threats', A, highOfA.id))?.record).toEqual({
      ...OF_A[1],
      acknowledged: true,
      acknowledged_by: 'ann',
      acknowledge_requestor: 'proxy',
      acknowledge_time: '2026-01-01T12:00:00Z',
      escalated: true,
      escalated_by: 'bob',
      escalate_time: '2026-01-01T12:00:00Z',
      comments: [{time: '2026-01-01T12:00:00Z', user: 'ann', requestor: 'proxy', text: comment.text}],
    });
    const name = [`a ${highOfA.id}`];
    for (const filter of ['acknowledged=true', 'escalated=true', 'acknowledged_by=ann', 'comments:*quoted*'])
      expect([filter, await found(store, filter)]).toEqual([filter, name]);
    expect(await found(store, 'acknowledged=false AND escalated=false')).toHaveLength(4);
    expect([await count(store, 'acknowledged=true'), await count(store, 'acknowledged=false')]).toEqual([1, 4]);
    await store.triage(highOfA, decision('unacknowledge'));
    await store.triage(highOfA, decision('deescalate'));
    expect(await found(store, 'acknowledged=true OR escalated=true')).toEqual([]);
  });

  test('44-4 of a threat that is not there nothing matches; a decision that is made already changes nothing', async () => {
    await using place = await opened(open);
    const {store} = place;
    await writeAll(store);
    expect(await store.triage({endpoint: A, id: 'none'}, decision('acknowledge'))).toEqual({matched: 0, changed: 0});
    expect(await store.triage({...highOfA, endpoint: B}, decision('acknowledge'))).toEqual({matched: 0, changed: 0});
    await store.triage(lowOfA, decision('acknowledge'));
    const before = await store.position();
    expect(await store.triage(lowOfA, decision('acknowledge', {user: 'bob'}))).toEqual({matched: 1, changed: 0});
    expect((await store.get('threats', A, lowOfA.id))?.record).toMatchObject({acknowledged_by: 'ann'});
    const {records} = await store.changes({...of(), after: before.sequence, updates: true, limit: 10});
    expect(records).toEqual([]);
  });

  test('44-4 a decision stays when the record is written again, before and after it; evidence stays, too', async () => {
    await using place = await opened(open);
    const {store} = place;
    await writeAll(store);
    await store.triage(lowOfA, decision('acknowledge', {text: 'seen'}));
    const again = OF_A.map(record => ({...record, repeat_count: '9'}));
    await writeThreats(store, A, again);
    await store.triage(lowOfA, decision('escalate'));
    expect((await store.get('threats', A, lowOfA.id))?.record).toMatchObject({
      repeat_count: '9',
      acknowledged: true,
      escalated: true,
      comments: [{text: 'seen'}],
    });
    expect(await found(store, 'acknowledged=true AND escalated=true AND repeat_count=9')).toEqual([`a ${lowOfA.id}`]);
    expect(await store.evidence(A, lowOfA.id)).toBe('{"n":0}');
  });

  test('44-4 a full list of decisions takes no other one, and does not keep others from theirs', async () => {
    await using place = await opened(open);
    const {store} = place;
    await writeAll(store);
    for (let i = 0; i < TRIAGE_EVENTS_MAX; i++) await store.triage(lowOfA, decision('comment', {text: String(i)}));
    await expect(store.triage(lowOfA, decision('acknowledge'))).rejects.toMatchObject({code: 'too-large'});
    expect(await store.triage(of(), decision('acknowledge'))).toEqual({matched: 5, changed: 4});
    expect(await found(store, 'acknowledged=false')).toEqual([`a ${lowOfA.id}`]);
    const full = await store.get('threats', A, lowOfA.id);
    expect(full?.record).toMatchObject({comments: {length: TRIAGE_EVENTS_MAX}});
  });
};

const describeMany = (open: Open): void => {
  test('44-4 of a selection all that fit name, times and filter are decided about, and no traffic', async () => {
    await using place = await opened(open);
    const {store} = place;
    await writeAll(store);
    const low = of({filter: 'alert_severity=LOW', untilMs: START_MS + 1000});
    expect(await store.triage(low, decision('acknowledge', {text: 'noise'}))).toEqual({matched: 2, changed: 2});
    expect(await found(store, 'acknowledged=true AND comments:noise')).toHaveLength(2);
    expect(await store.triage(of({name: nameOf(A)}), decision('acknowledge'))).toEqual({matched: 3, changed: 2});
    expect(await found(store, 'acknowledged=false')).toHaveLength(1);
    const later = of({sinceMs: START_MS + 1000, filter: 'acknowledged=true'});
    expect(await store.triage(later, decision('unacknowledge'))).toEqual({matched: 2, changed: 2});
    expect(await found(store, 'acknowledged=true')).toHaveLength(2);
    expect(await store.triage(of({filter: 'name=nothing'}), decision('acknowledge'))).toEqual({matched: 0, changed: 0});
  });

  test('44-4 of thousands none is left out', async () => {
    await using place = await opened(open);
    const {store} = place;
    const size = Math.min(1500, store.batchRecordsMax);
    const batch = (from: number) => Array.from({length: size}, (_, i) => threatAt(A, 'LOW', from + i * 10));
    for (let i = 0; i < 3; i++) await writeThreats(store, A, batch(i * 100_000));
    const total = await count(store, '');
    const steps: TriageSum[] = [];
    const sum = await store.triage(of(), decision('acknowledge'), step => steps.push(step));
    expect(sum).toEqual({matched: total, changed: total});
    for (const figure of ['matched', 'changed'] as const)
      expect(steps.reduce((all, step) => all + step[figure], 0)).toBe(total);
    expect([await count(store, 'acknowledged=true'), await count(store, 'acknowledged=false')]).toEqual([total, 0]);
  });
};

const describeFollowing = (open: Open): void => {
  test('44-4 readers of changes see a decision with updates, and only then; listeners are called', async () => {
    await using place = await opened(open);
    const {store} = place;
    await writeAll(store);
    let calls = 0;
    const end = store.onChange(() => calls++);
    const before = await store.position();
    await store.triage(highOfA, decision('acknowledge'));
    await store.triage(of({filter: 'alert_severity=CRITICAL'}), decision('escalate'));
    expect(calls).toBeGreaterThanOrEqual(2);
    end();
    const after = await store.position();
    expect(after.sequence).toBe(before.sequence + 2);
    const asked = {...of(), after: before.sequence, limit: 10};
    const updates = await store.changes({...asked, updates: true});
    expect(
      updates.records.map(({record}) => [record.endpoint, (record as ThreatRecord).acknowledged ?? false]),
    ).toEqual([
      [A, true],
      [B, false],
    ]);
    expect([updates.sequence, updates.isLast]).toEqual([after.sequence, true]);
    expect((await store.changes({...asked, updates: false})).records).toEqual([]);
    expect((await store.changes({...asked, filter: 'escalated=true', updates: true})).records).toHaveLength(1);
  });

  test('44-4 decisions are there after an orderly end', async ctx => {
    await using place = await opened(open);
    if (place.reopen === undefined) return ctx.skip('it keeps nothing');
    await writeAll(place.store);
    await place.store.triage(laterOfA, decision('acknowledge', {text: 'kept'}));
    const store = await place.reopen();
    expect(await store.triage(of({filter: 'comments:kept'}), decision('escalate'))).toEqual({matched: 1, changed: 1});
    expect(await found(store, 'acknowledged=true AND comments:kept')).toEqual([`a ${laterOfA.id}`]);
    await store.triage(laterOfA, decision('comment', {text: 'more'}));
    expect((await store.get('threats', A, laterOfA.id))?.record).toMatchObject({
      comments: [{text: 'kept'}, {text: 'more'}],
    });
  });
};

export const triageContract = (driver: string, open: Open): void => {
  describe(`decisions about threats, kept ${driver}`, () => {
    describeOne(open);
    describeMany(open);
    describeFollowing(open);
  });
};
