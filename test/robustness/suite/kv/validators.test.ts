// SPDX-License-Identifier: Apache-2.0
/** Every validator finds the history that breaks its promise, and none complains about one that keeps them all. */
import {expect, test} from 'vitest';
import {judgeKv, judgeState} from './judge.ts';
import {type Call, KvRecord, type Step, TORN, type Watch} from './record.ts';

const put = (key: string, id: string, expected?: number): Step => ({op: 'put', key, id, expected});
const written = (record: KvRecord, steps: readonly Step[], revision?: number): Call => {
  const call = record.call('w', {kind: 'write', steps});
  record.answer(call, {kind: 'written', revision});
  return call;
};

type History = {readonly record: KvRecord; readonly first: Watch; readonly second: Watch};

/** Two processes; one transaction, a replacement, a deletion, a write whose answer was lost, one refused, a conflict. */
function history(): History {
  const record = new KvRecord();
  record.audit({round: 0, prefix: '', revision: 0, compacted: 0, entries: []});
  const first = record.watch('a', {prefix: '/', from: 0, resumes: false});
  written(record, [put('/x', 'x1'), put('/y', 'y1')], 1);
  record.events(first, [
    {revision: 1, key: '/x', id: 'x1', previous: 0},
    {revision: 1, key: '/y', id: 'y1', previous: 0},
  ]);
  written(record, [put('/x', 'x2', 1)], 2);
  record.events(first, [{revision: 2, key: '/x', id: 'x2', previous: 1}]);
  record.bookmark(first, 2);
  const lost = record.call('w', {kind: 'write', steps: [put('/x', 'x3', 1)]});
  record.answer(lost, {kind: 'conflict'});
  const full = record.call('w', {kind: 'write', steps: [put('/x', 'x4')]});
  record.answer(full, {kind: 'refused', code: 'disk-full'});
  record.call('w', {kind: 'write', steps: [put('/x', 'x5')]});
  record.processGone();
  record.audit({
    round: 1,
    prefix: '',
    revision: 3,
    compacted: 0,
    entries: [
      {key: '/x', id: 'x5', revision: 3},
      {key: '/y', id: 'y1', revision: 1},
    ],
  });
  const second = record.watch('a', {prefix: '/', from: 2, resumes: true});
  record.events(second, [{revision: 3, key: '/x', id: 'x5', previous: 2}]);
  written(record, [{op: 'delete', key: '/y', expected: 1}], 4);
  record.events(second, [{revision: 4, key: '/y', id: undefined, previous: 1}]);
  const read = record.call('r', {kind: 'list', prefix: '/'});
  record.answer(read, {kind: 'listed', revision: 4, entries: [{key: '/x', id: 'x5', revision: 3}]});
  Object.assign(second, {end: 'caught-up', through: 4});
  return {record, first, second};
}

const broken = (record: KvRecord): string[] =>
  Object.entries(judgeKv(record, {seesAll: true}).violations)
    .filter(([, faults]) => faults.length > 0)
    .map(([name]) => name);

test('48-1 a history that keeps every promise has no fault', () => {
  expect(broken(history().record)).toEqual([]);
});

/** What is done to the good history, and the validators that must find it. */
const BREAKS: readonly (readonly [name: string, finds: string, change: (history: History) => void])[] = [
  ['the changes of a watch in the wrong order', 'ordered', ({first}) => void first.deliveries.reverse()],
  ['a change twice', 'unique', ({first, record}) => record.events(first, [{revision: 2, key: '/x', id: 'x2'}])],
  [
    'the two changes of a transaction in two batches',
    'atomic',
    ({first, record}) => {
      first.deliveries.splice(0);
      record.events(first, [{revision: 1, key: '/x', id: 'x1'}]);
      record.events(first, [{revision: 1, key: '/y', id: 'y1'}]);
    },
  ],
  ['a change of another prefix', 'filtered', ({first}) => void Object.assign(first, {prefix: '/x'})],
  [
    'a wrong previous revision',
    'previous',
    ({second, record}) => {
      second.deliveries.splice(1);
      record.events(second, [{revision: 4, key: '/y', id: undefined, previous: 2}]);
    },
  ],
  ['a change is left out in the middle of a watch', 'reliable', ({first}) => void first.deliveries.splice(0, 1)],
  ['a change is left out at the end of a watch', 'resumable', ({second}) => void second.deliveries.splice(1)],
  ['a watch that resumes begins too late', 'resumable', ({second}) => void second.deliveries.splice(0, 1)],
  [
    'a bookmark before a change that it covers',
    'bookmarkable',
    ({first}) => {
      const [one, two, bookmark] = first.deliveries;
      first.deliveries.splice(0);
      for (const each of [one, bookmark, two]) if (each !== undefined) first.deliveries.push(each);
    },
  ],
  ['a bookmark over a change that was not delivered', 'bookmarkable', ({first, record}) => record.bookmark(first, 3)],
  [
    'a read of what was replaced before',
    'linearizable',
    ({record}) => {
      const call = record.call('r', {kind: 'get', key: '/x'});
      record.answer(call, {kind: 'got', entry: {key: '/x', id: 'x2', revision: 2}});
    },
  ],
  ['two writers win with one revision', 'linearizable', ({record}) => void written(record, [put('/x', 'x9', 2)], 5)],
  [
    'a conflict that was none',
    'linearizable',
    ({record}) => {
      const call = record.call('w', {kind: 'write', steps: [put('/x', 'x9', 3)]});
      record.answer(call, {kind: 'conflict'});
    },
  ],
  [
    'an unanswered write takes effect after its process is gone',
    'linearizable',
    ({record}) => {
      record.events(record.watch('b', {prefix: '/', from: 4, resumes: false}), [{revision: 5, key: '/x', id: 'x6'}]);
      const call = record.call('w', {kind: 'write', steps: [put('/x', 'x6')]});
      Object.assign(call, {called: 1, over: 2});
    },
  ],
  [
    'a list without a key of its revision',
    'serializable',
    ({record}) => {
      const call = record.call('r', {kind: 'list', prefix: '/', at: 3});
      record.answer(call, {kind: 'listed', revision: 3, entries: [{key: '/x', id: 'x5', revision: 3}]});
    },
  ],
  [
    'an old read with a newer value',
    'serializable',
    ({record}) => {
      const call = record.call('r', {kind: 'get', key: '/x', at: 1});
      record.answer(call, {kind: 'got', entry: {key: '/x', id: 'x2', revision: 2}});
    },
  ],
  [
    'a start without an answered write',
    'durable',
    ({record}) => {
      written(record, [put('/z', 'z1')], 9);
      record.audit({round: 2, prefix: '', revision: 4, compacted: 0, entries: [{key: '/x', id: 'x5', revision: 3}]});
    },
  ],
  [
    'a start without an event that was delivered',
    'durable',
    ({record, second}) => {
      record.bookmark(second, 7);
      record.audit({round: 2, prefix: '', revision: 4, compacted: 0, entries: [{key: '/x', id: 'x5', revision: 3}]});
    },
  ],
  ['one revision for two writes', 'durable', ({record}) => void written(record, [put('/x', 'x9')], 3)],
  [
    'half of a transaction',
    'whole',
    ({record}) => {
      record.call('w', {kind: 'write', steps: [put('/p', 'p1'), put('/q', 'q1')]});
      record.events(record.watch('b', {prefix: '/p', from: 4, resumes: false}), [{revision: 5, key: '/p', id: 'p1'}]);
    },
  ],
  [
    'a transaction at two revisions',
    'whole',
    ({record}) => {
      record.call('w', {kind: 'write', steps: [put('/p', 'p1'), put('/q', 'q1')]});
      const watch = record.watch('b', {prefix: '/', from: 4, resumes: false});
      record.events(watch, [{revision: 5, key: '/p', id: 'p1'}]);
      record.events(watch, [{revision: 6, key: '/q', id: 'q1'}]);
    },
  ],
  [
    'a write that was refused',
    'whole',
    ({record, second}) => record.events(second, [{revision: 5, key: '/x', id: 'x4'}]),
  ],
  ['a write that lost', 'whole', ({record, second}) => record.events(second, [{revision: 5, key: '/x', id: 'x3'}])],
  [
    'a value that nobody wrote',
    'whole',
    ({record, second}) => record.events(second, [{revision: 5, key: '/x', id: 'other'}]),
  ],
  [
    'bytes that are not those written',
    'whole',
    ({record, second}) => record.events(second, [{revision: 5, key: '/x', id: TORN}]),
  ],
  [
    'a deletion that nobody asked for',
    'whole',
    ({record, second}) => record.events(second, [{revision: 5, key: '/x', id: undefined}]),
  ],
  [
    'a revision without a change',
    'gapless',
    ({record}) =>
      record.audit({round: 2, prefix: '', revision: 5, compacted: 0, entries: [{key: '/x', id: 'x5', revision: 3}]}),
  ],
];

test.each(BREAKS)('48-1 %s: found by %s', (_, finds, change) => {
  const one = history();
  change(one);
  expect(broken(one.record)).toContain(finds);
});

test('48-1 a copy without the newest write is served: it is counted as missing; one with another value is a fault', () => {
  const {record} = history();
  const served = {
    revision: 3,
    compacted: 1,
    entries: [
      {key: '/x', id: 'x5', revision: 3},
      {key: '/y', id: 'y1', revision: 1},
    ],
    events: [
      {revision: 2, key: '/x', id: 'x2', previous: 1},
      {revision: 3, key: '/x', id: 'x5', previous: 2},
    ],
  };
  expect(judgeState(record, served, {seesAll: true})).toEqual({faults: [], missing: 1});
  const other = {...served, entries: [{key: '/x', id: 'x5', revision: 3}]};
  expect(judgeState(record, other, {seesAll: true}).faults).toEqual([
    expect.stringContaining('/y at revision 3: absent instead of y1'),
  ]);
});
