// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {isSame, mergeChanges} from './merge.ts';

const BASE = {labels: {a: '1', b: '2'}, list: [1, 2]};

test('49-3 changes of different fields are put together, deletions too', () => {
  const mine = {labels: {a: 'mine', b: '2'}, list: [1, 2]};
  const theirs = {labels: {a: '1', c: 'theirs'}, list: [1, 2, 3]};
  expect(mergeChanges(BASE, mine, theirs)).toEqual({
    object: {labels: {a: 'mine', c: 'theirs'}, list: [1, 2, 3]},
    both: [],
  });
});

test('49-3 a field that both changed keeps my value and is named', () => {
  const mine = {labels: {a: 'mine'}, list: [9]};
  const theirs = {labels: {a: 'theirs', b: '2'}, list: [8]};
  expect(mergeChanges(BASE, mine, theirs)).toEqual({
    object: {labels: {a: 'mine'}, list: [9]},
    both: [
      {field: 'labels.a', mine: 'mine', theirs: 'theirs'},
      {field: 'list', mine: [9], theirs: [8]},
    ],
  });
});

test('49-3 the same change of both is no conflict', () => {
  const both = {...BASE, list: []};
  expect(mergeChanges(BASE, both, structuredClone(both)).both).toEqual([]);
});

const subset = (ips: readonly string[], port: number, hostname?: string) => ({
  addresses: ips.map(ip => ({ip, ...(hostname !== undefined && {hostname})})),
  ports: [{name: 'http', port}],
});
const set = (...subsets: object[]) => ({subsets});

test('49-3 addresses and ports of subsets are put together item by item', () => {
  const merged = mergeChanges(set(subset(['a', 'b'], 80)), set(subset(['a', 'b', 'c'], 80)), set(subset(['b'], 81)));
  expect(merged).toEqual({object: set(subset(['b', 'c'], 81)), both: []});
});

test('49-3 a port that both changed is named by its place, with both values', () => {
  const {object, both} = mergeChanges(set(subset(['a'], 80)), set(subset(['a', 'b'], 82)), set(subset(['a'], 81)));
  expect(object).toEqual(set(subset(['a', 'b'], 82)));
  expect(both).toEqual([{field: 'subsets[0].ports[0].port', mine: 82, theirs: 81}]);
});

test('49-3 items that one removed and the other changed, and subsets that were added, are conflicts', () => {
  const base = set(subset(['a', 'b'], 80));
  const removed = mergeChanges(base, set(subset(['a', 'b'], 80, 'h')), set(subset(['a'], 80)));
  expect(removed.both).toEqual([{field: 'subsets[0].addresses[1]', mine: {ip: 'b', hostname: 'h'}, theirs: undefined}]);
  const added = set(subset(['a', 'b'], 80), subset(['c'], 90));
  expect(mergeChanges(base, added, set(subset(['a', 'b'], 81))).both.map(({field}) => field)).toEqual(['subsets']);
});

test('49-3 an address that another client moves between ready and not ready is no silent merge', () => {
  const of = (ready: readonly string[], notReady: readonly string[]) => ({
    subsets: [{addresses: ready.map(ip => ({ip})), notReadyAddresses: notReady.map(ip => ({ip})), ports: [{port: 80}]}],
  });
  const [base, moved] = [of(['a', 'b'], []), of(['a'], ['b'])];
  const fields = (mine: object, theirs: object) => mergeChanges(base, mine, theirs).both.map(({field}) => field);
  expect(fields(of(['a'], []), moved)).toEqual(['subsets[0]']);
  expect(fields(moved, of(['a'], []))).toEqual(['subsets[0]']);
  expect(fields(of(['a', 'b', 'c'], []), of(['a', 'b'], ['c']))).toEqual(['subsets[0]']);
  expect(mergeChanges(base, of(['a', 'b', 'c'], []), moved)).toEqual({object: of(['a', 'c'], ['b']), both: []});
});

test('49-3 subsets that another client puts in another order are a conflict', () => {
  const [a, b] = [subset(['a'], 80), subset(['b'], 443)];
  const mine = set(subset(['a', 'c'], 80), b);
  for (const theirs of [set(b, a), set(b, subset(['x'], 90))])
    expect(mergeChanges(set(a, b), mine, theirs)).toEqual({
      object: mine,
      both: [{field: 'subsets', mine: mine.subsets, theirs: theirs.subsets}],
    });
});

test('equality of JSON ignores the order of names, not that of items', () => {
  expect(isSame({a: 1, b: [{c: null}]}, {b: [{c: null}], a: 1})).toBe(true);
  expect(isSame([1, 2], [2, 1])).toBe(false);
  expect(isSame({a: undefined}, {})).toBe(false);
});
