// SPDX-License-Identifier: Apache-2.0
/** Each validator finds the record that breaks its promise, and none finds anything in a sound one. */
import {expect, test} from 'vitest';
import type {Given, Line} from './lines.ts';
import type {EndpointLook, Look, Row} from './look.ts';
import {ClientRecord} from './record.ts';
import {batchOfId, criticalOf, ENDPOINTS, expectedOf} from './traffic.ts';
import {uncounted, validateCopy, validateDecisions, validateFolder, validateStream} from './validate.ts';

const SEED = 5;
const BATCHES = 12;
const CRITICAL = criticalOf(SEED, ENDPOINTS[0] ?? '', 8) ?? '';

const soundEndpoint = (endpoint: string): EndpointLook => {
  const {records} = expectedOf(SEED, endpoint, BATCHES);
  const rows = [...records].map(
    ([id, {recordClass, body}]): Row => ({
      ...{id, recordClass, body},
      comments: id === CRITICAL && endpoint === ENDPOINTS[0] ? [1] : [],
    }),
  );
  const evidence = [...records].flatMap(([id, {evidence: text}]): [string, string][] =>
    text === undefined ? [] : [[id, text]],
  );
  const traffic = rows.filter(({recordClass}) => recordClass === 'TRAFFIC').length;
  const kept = {traffic, threats: rows.length - traffic};
  return {position: BATCHES, rows, evidence: new Map(evidence), kept, evicted: {}, lost: {}};
};
const SOUND: Look = {endpoints: ENDPOINTS.map(soundEndpoint), faults: []};

/** With another first endpoint. */
const look = (change: (endpoint: EndpointLook) => Partial<EndpointLook>): Look => {
  const [first, ...rest] = SOUND.endpoints;
  return first === undefined ? SOUND : {faults: [], endpoints: [{...first, ...change(first)}, ...rest]};
};
const without = (recordClass: string): Look =>
  look(({rows}) => ({
    rows: rows.toSpliced(
      rows.findIndex(row => row.recordClass === recordClass),
      1,
    ),
  }));
const namesOf = (faults: Readonly<Record<string, readonly string[]>>): string[] =>
  Object.entries(faults).flatMap(([name, list]) => (list.length > 0 ? name : []));

test('48-1 a sound folder has no faults', () => {
  expect(namesOf(validateFolder(SEED, SOUND))).toEqual([]);
  expect(uncounted(SEED, SOUND.endpoints)).toEqual([]);
});

test('48-1 in a damaged folder a row with another id is no record that is gone', () => {
  const {endpoints} = look(({rows}) => ({rows: rows.map((row, i) => (i === 3 ? {...row, id: 'changed'} : row))}));
  expect(uncounted(SEED, endpoints)).toEqual([]);
  expect(uncounted(SEED, without('TRAFFIC').endpoints)).toEqual([
    '1 TRAFFIC records of endpoint 0 are gone, and 0 are counted',
  ]);
});

test.each<[string, Look, readonly string[]]>([
  ['a flow that is gone', without('TRAFFIC'), ['counted']],
  ['a critical record that is gone', without('CRITICAL'), ['counted', 'kept']],
  [
    'a record with an older body',
    look(({rows}) => ({rows: rows.map((row, i) => (i === 3 ? {...row, body: '{}'} : row))})),
    ['whole'],
  ],
  [
    'a record in a file of another class',
    look(({rows}) => ({rows: rows.map(row => (row.id === CRITICAL ? {...row, recordClass: 'LOW'} : row))})),
    ['whole'],
  ],
  ['a record of a batch that is not there', look(() => ({position: BATCHES - 1})), ['whole']],
  ['a record that is there twice', look(({rows}) => ({rows: [...rows, ...rows.slice(0, 1)]})), ['once', 'counted']],
  ['an eviction that took nothing', look(() => ({evicted: {HIGH: 999}})), ['counted']],
  ['lost records', look(() => ({lost: {LOW: 1}})), ['counted']],
  ['evidence that is gone', look(() => ({evidence: new Map()})), ['evidence']],
])('48-1 %s is found', (_, broken, wanted) => {
  const names = namesOf(validateFolder(SEED, broken));
  expect(names).toEqual(expect.arrayContaining([...wanted]));
  expect(
    validateCopy(SEED, {before: [BATCHES, BATCHES, BATCHES], after: [BATCHES, BATCHES, BATCHES]}, broken),
  ).not.toEqual([]);
});

test('48-1 a copy is of a commit between its begin and its end', () => {
  const at = (n: number): number[] => ENDPOINTS.map(() => n);
  expect(validateCopy(SEED, {before: at(10), after: at(13)}, SOUND)).toEqual([]);
  expect(validateCopy(SEED, {before: at(13), after: at(14)}, SOUND)).toHaveLength(3);
  expect(validateCopy(SEED, {before: at(9), after: at(11)}, SOUND)).toHaveLength(3);
});

test('48-1 decisions are there once when they were answered, and with all their records or none', () => {
  const one = {endpoint: 0, id: CRITICAL, until: BATCHES, changed: 1};
  const faults = (decisions: readonly [number, typeof one | {changed: null | undefined}][]): readonly string[] =>
    validateDecisions(SEED, new Map(decisions.map(([number, more]) => [number, {...one, ...more}])), SOUND);
  expect(faults([[1, one]])).toEqual([]);
  expect(
    faults([
      [1, {changed: undefined}],
      [2, {changed: undefined}],
      [3, {changed: null}],
    ]),
  ).toEqual([]);
  expect(
    faults([
      [1, one],
      [2, one],
    ]),
  ).toEqual([expect.stringContaining('decision 2 ')]);
  expect(faults([])).toEqual(['1 comments are of nobody: 1']);
  expect(faults([[1, {...one, id: '*'}]])).toEqual([expect.stringContaining('is at 1 of 3 records')]);
  expect(faults([[1, {...one, endpoint: 1}]])).toHaveLength(1);
});

const flows = (endpoint: number): Given[] =>
  [...expectedOf(SEED, ENDPOINTS[endpoint] ?? '', BATCHES).records].flatMap(([id, {recordClass}]): Given[] =>
    recordClass === 'TRAFFIC' ? [[endpoint, id]] : [],
  );
const stream = (given: readonly Given[], missed = 0, of: Look = SOUND): readonly string[] => {
  const deliveries = [{until: 1, missed, isStored: false, given}];
  return validateStream({seed: SEED, deliveries, isOfKind: name => name === 'TRAFFIC', counts: true}, of);
};

test('48-1 a reader gets each record once and in order, or counted', () => {
  const all = ENDPOINTS.flatMap((_, i) => flows(i));
  expect(stream(all)).toEqual([]);
  expect(stream(all.slice(1))).toEqual([
    expect.stringContaining('did not come'),
    '1 records did not come, and 0 are counted as missed',
  ]);
  expect(stream([...all, ...all.slice(0, 1)])).toEqual([
    expect.stringContaining('came twice'),
    expect.stringContaining('of a later batch'),
  ]);
  expect(stream([...all, [0, '64752550d2880-00001111-0000ffff']])).toEqual([
    expect.stringContaining('that nobody wrote'),
  ]);
  expect(stream([...all].reverse())).toHaveLength(3);
  const evicted = look(() => ({evicted: {TRAFFIC: 1}}));
  expect(stream(all.slice(1), 1, evicted)).toEqual([]);
  expect(stream(all.slice(1), 0, evicted)).toEqual(['1 records did not come, and 0 are counted as missed']);
  expect(batchOfId(all[0]?.[1] ?? '')).toBeGreaterThan(0);
});

test('48-1 positions do not go back, and readers continue where they were', () => {
  const record = (...lines: readonly Line[]): ClientRecord => {
    const made = new ClientRecord();
    made.begin(0);
    for (const line of lines) made.add(line);
    return made;
  };
  const violations = (...lines: readonly Line[]): number[] => {
    const {positions, resumable} = record(...lines).violations;
    return [positions.length, resumable.length];
  };
  const written: readonly Line[] = [
    ['position', 0, 0],
    ['begin', 0, 1],
    ['answer', 0, 1],
    ['begin', 0, 2],
  ];
  expect(violations(...written, ['position', 0, 1])).toEqual([0, 0]);
  expect(violations(...written, ['position', 0, 2])).toEqual([0, 0]);
  expect(violations(...written, ['position', 0, 0])).toEqual([1, 0]);
  expect(violations(...written, ['position', 0, 3])).toEqual([1, 0]);
  const read: readonly Line[] = [
    ['reader', 0, true],
    ['page', 4, 0, []],
    ['save', 4],
    ['saved', 4],
    ['page', 9, 0, []],
    ['save', 9],
  ];
  expect(violations(...read, ['reader', 9, true])).toEqual([0, 0]);
  expect(violations(...read, ['reader', 4, true])).toEqual([0, 0]);
  expect(violations(...read, ['reader', 0, true])).toEqual([0, 1]);
  expect(violations(...read, ['reader', 9, false])).toEqual([0, 1]);
  expect(record(...read, ['reader', 4, true]).exported.map(({until}) => until)).toEqual([4]);
  expect(violations(['held', null], ['followed', {history: 'h', sequence: 3, timeMs: 0}, []], ['held', false])).toEqual(
    [0, 1],
  );
});
