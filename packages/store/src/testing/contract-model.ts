// SPDX-License-Identifier: Apache-2.0
/**
 * Random histories against the model: writes with right and stale expectations, many in flight; compactions; closing
 * and opening again. After each history all that can be read is compared: each revision, in pages of any size, and a
 * watch from any of them.
 */
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {Store, TxnOp} from '../store.ts';
import {StoreError} from '../store-error.ts';
import {type Outcome, StoreModel} from './store-model.ts';
import {bytes, type StoreUnderTest, text, WatchRecorder} from './under-test.ts';
import {NO_FAULTS, validateWatch} from './watch-validators.ts';

type Expectation = 'any' | 'absent' | 'found' | 'stale';
type Step = {
  readonly op: 'put' | 'delete' | 'check';
  readonly key: string;
  readonly expect: Expectation;
  readonly size: number;
};
type Action =
  | {readonly do: 'write'; readonly txns: readonly (readonly Step[])[]}
  | {readonly do: 'compact'; readonly share: number}
  | {readonly do: 'reopen'}
  | {readonly do: 'watch'; readonly share: number};

const LIMITS = {
  replayRevisionsMax: 5,
  replayBytesMax: 40,
  readIdsMax: 3,
  compactionStepMs: 0,
  driverStepMs: 1,
  batchChangesMax: 6,
};

const key = fc.constantFrom('/a', '/a/1', '/a/2', '/b', '/b/é', '/b/\uffee', '/b/\u{1f600}', '/c');
const step: fc.Arbitrary<Step> = fc.record({
  op: fc.constantFrom('put', 'put', 'put', 'delete', 'check'),
  key,
  expect: fc.constantFrom('any', 'any', 'absent', 'found', 'stale'),
  size: fc.nat(30),
});
const steps = fc.uniqueArray(step, {minLength: 1, maxLength: 4, selector: ({key}) => key});
const share = fc.double({min: 0, max: 1, noNaN: true});
const write: fc.Arbitrary<Action> = fc.record({
  do: fc.constant('write' as const),
  txns: fc.array(steps, {minLength: 1, maxLength: 8}),
});
const action = fc.oneof(
  {weight: 8, arbitrary: write},
  {weight: 1, arbitrary: fc.record({do: fc.constant('compact' as const), share})},
  {weight: 1, arbitrary: fc.constant({do: 'reopen' as const})},
  {weight: 2, arbitrary: fc.record({do: fc.constant('watch' as const), share})},
);

/** A revision between the oldest that can be read and the newest. */
const pick = ({compacted, revision}: StoreModel, part: number): bigint =>
  compacted + BigInt(Math.round(Number(revision - compacted) * part));

function toOp({op, key, expect, size}: Step, model: StoreModel): TxnOp {
  const found = model.get(key, model.revision)?.modRevision ?? 0n;
  const expected = {any: undefined, absent: 0n, found, stale: found + 1n}[expect];
  if (op === 'put') return {op, key, value: bytes(`${model.revision}`.padEnd(size, '.')), expected};
  return op === 'delete' ? {op, key, expected} : {op, key, expected: expected ?? found};
}

async function outcomeOf(call: Promise<bigint>): Promise<Outcome> {
  try {
    return {revision: await call};
  } catch (error) {
    if (error instanceof StoreError) return {code: error.code, key: error.key};
    throw error;
  }
}

async function compare(store: Store, model: StoreModel, limit: number): Promise<void> {
  expect(await store.currentRevision()).toBe(model.revision);
  expect(await store.compactedRevision()).toBe(model.compacted);
  for (let at = model.compacted; at <= model.revision; at++) {
    for (const prefix of ['', '/a/', '/b']) {
      const want = model.list(prefix, at);
      let after: string | undefined;
      for (let done = 0; ; ) {
        const page = await store.list(prefix, {at, after, limit});
        const rows = want.slice(done, done + limit);
        expect(page.entries.map(toRow)).toEqual(rows.map(toRow));
        expect(page.remaining).toBe(Math.max(0, want.length - done - limit));
        done += limit;
        after = rows.at(-1)?.key;
        if (page.remaining === 0) break;
      }
    }
    const one = await store.get('/a/1', at);
    expect(one && toRow(one)).toEqual(model.list('/a/1', at).map(toRow)[0]);
  }
}
const toRow = (entry: {key: string; value: Uint8Array; createRevision: bigint; modRevision: bigint}) =>
  `${entry.key}=${text(entry.value)} ${entry.createRevision}/${entry.modRevision}`;

async function run(subject: StoreUnderTest, actions: readonly Action[], limit: number): Promise<void> {
  await using place = await subject.makePlace();
  let store = await place.open(LIMITS);
  const model = new StoreModel();
  const watches: {from: bigint; watch: WatchRecorder}[] = [];
  const check = async (): Promise<void> => {
    for (const {from, watch} of watches.splice(0)) {
      if (from < model.revision) await watch.seen(model.revision);
      // A compaction may overtake the replay; what came before it is a right beginning then.
      const end = watch.failure === undefined ? model.revision : (watch.events.at(-1)?.revision ?? from);
      if (watch.failure !== undefined) expect(watch.failure).toMatchObject({code: 'compacted'});
      const history = model.events.filter(event => event.revision <= end);
      expect(validateWatch(watch.batches, {history, from})).toEqual(NO_FAULTS);
      await watch[Symbol.asyncDispose]();
    }
  };
  for (const action of actions) {
    if (action.do === 'write') {
      // All in flight at once: each is decided on the state that the ones before it leave.
      const pairs = action.txns.map(txn => {
        const ops = txn.map(item => toOp(item, model));
        return {got: outcomeOf(store.txn(ops)), want: model.txn(ops)};
      });
      for (const {got, want} of pairs) expect(await got).toEqual(want);
    } else if (action.do === 'compact') {
      model.compacted = pick(model, action.share);
      await store.compact(model.compacted);
    } else if (action.do === 'watch') {
      const from = pick(model, action.share);
      watches.push({from, watch: new WatchRecorder(store, '', from)});
    } else if (subject.durable) {
      await check();
      await store.close();
      store = await place.open(LIMITS);
    }
  }
  await compare(store, model, limit);
  watches.push({from: model.compacted, watch: new WatchRecorder(store, '', model.compacted)});
  await check();
  await store.close();
}

export function describeModel(subject: StoreUnderTest): void {
  describe('model', () => {
    test('any history of writes, compactions, restarts and watches is as the model has it', {
      timeout: 60_000,
    }, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(action, {maxLength: 20}), fc.integer({min: 1, max: 9}), (actions, limit) =>
          run(subject, actions, limit),
        ),
        {numRuns: subject.durable ? 25 : 200},
      );
    });
  });
}
