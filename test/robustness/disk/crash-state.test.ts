// SPDX-License-Identifier: Apache-2.0
/** The states that power loss may leave, from operations by hand: the rules D1 to D3 of replay.ts and C1 to C5 of crash-state.ts. */
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {seededRandom} from '../suite/random.ts';
import {crashState} from './crash-state.ts';
import type {Operation} from './operations.ts';
import {Replay} from './replay.ts';
import {differences, type FolderNode} from './tree.ts';

const ROOT = 1n;
const EMPTY = {kind: 'folder', mode: 0o755, entries: new Map(), inode: ROOT} as const;

const create = (path: string, inode: bigint): Operation => ({kind: 'create', path, inode, mode: 0o644});
const write = (inode: bigint, offset: number, text: string): Operation => ({
  kind: 'write',
  inode,
  offset,
  bytes: Buffer.from(text),
});
const sync = (inode: bigint): Operation => ({kind: 'sync', inode});

const replayed = (operations: readonly Operation[], keepsLive = false): Replay => {
  const replay = new Replay(EMPTY, keepsLive);
  for (const operation of operations) replay.apply(operation);
  return replay;
};

/** `NAME=TEXT` of files and `NAME/` of folders, sorted. */
const linesOf = ({entries}: FolderNode, at = ''): string[] =>
  [...entries].flatMap(([name, node]) => {
    if (node.kind === 'folder') return [`${at}${name}/`, ...linesOf(node, `${at}${name}/`)];
    return node.kind === 'file' ? `${at}${name}=${node.bytes}` : [];
  });
const shown = (tree: FolderNode): string => linesOf(tree).sort().join(' ');

/** All states that many numbers give. */
const statesOf = (operations: readonly Operation[]): Set<string> =>
  new Set(Array.from({length: 400}, (_, seed) => shown(crashState(replayed(operations), seededRandom(seed)).tree)));

const SYNCED_OLD: readonly Operation[] = [create('f', 2n), write(2n, 0, 'old'), sync(2n), sync(ROOT)];

test('D1 a synced file whose folder was not synced may be gone, and is never torn', () => {
  expect(statesOf([create('f', 2n), write(2n, 0, 'text'), sync(2n)])).toEqual(new Set(['', 'f=text']));
});

test('C1 parts of one sector are there in the order of their writing', () => {
  const states = statesOf([...SYNCED_OLD, write(2n, 0, 'a'), write(2n, 1, 'b')]);
  expect(states).toEqual(new Set(['f=old', 'f=ald', 'f=abd']));
});

test('C2 a file may have grown without the data', () => {
  const states = statesOf([create('f', 2n), sync(2n), sync(ROOT), write(2n, 0, 'ab')]);
  expect(states).toEqual(new Set(['f=', 'f=ab', 'f=\0\0']));
});

test('C3 a write behind a cut is there only if the cut is', () => {
  const states = statesOf([...SYNCED_OLD, {kind: 'truncate', inode: 2n, size: 0}, write(2n, 0, 'n')]);
  expect(states).toEqual(new Set(['f=old', 'f=', 'f=n', 'f=\0']));
});

test('D2 C4 a rename between folders is there wholly or not at all, and sure when both are synced', () => {
  const made: readonly Operation[] = [
    {kind: 'mkdir', path: 'a', inode: 3n, mode: 0o755},
    {kind: 'mkdir', path: 'b', inode: 4n, mode: 0o755},
    create('a/f', 2n),
    ...[2n, 3n, 4n, ROOT].map(sync),
    {kind: 'rename', path: 'a/f', to: 'b/f'},
  ];
  const [before, after] = ['a/ a/f= b/', 'a/ b/ b/f='];
  expect(statesOf(made)).toEqual(new Set([before, after]));
  expect(statesOf([...made, sync(4n)])).toEqual(new Set([before, after]));
  expect(statesOf([...made, sync(4n), sync(3n)])).toEqual(new Set([after]));
});

test('C4 a name is never ahead of its earlier changes', () => {
  const states = statesOf([create('f', 2n), {kind: 'rename', path: 'f', to: 'g'}, {kind: 'unlink', path: 'g'}]);
  expect(states).toEqual(new Set(['', 'f=', 'g=']));
});

test('D3 a sync that failed is not made good by the next one, only by writing again', () => {
  const failed: readonly Operation[] = [...SYNCED_OLD, write(2n, 0, 'new'), {kind: 'sync failed', inode: 2n}, sync(2n)];
  expect(statesOf(failed)).toEqual(new Set(['f=old', 'f=new']));
  expect(statesOf([...failed, write(2n, 0, 'new'), sync(2n)])).toEqual(new Set(['f=new']));
});

const FILES = 4;
const step = fc.oneof(
  fc.record({
    kind: fc.constant('write'),
    file: fc.nat(FILES - 1),
    offset: fc.nat(10_000),
    length: fc.integer({min: 1, max: 6_000}),
  }),
  fc.record({kind: fc.constant('truncate'), file: fc.nat(FILES - 1), offset: fc.nat(10_000), length: fc.constant(0)}),
  fc.record({kind: fc.constant('sync'), file: fc.nat(FILES - 1), offset: fc.constant(0), length: fc.constant(0)}),
);

const operationsOf = (steps: readonly {kind: string; file: number; offset: number; length: number}[]): Operation[] => [
  ...Array.from({length: FILES}, (_, i) => create(`f${i}`, BigInt(i + 2))),
  ...steps.map(({kind, file, offset, length}, n): Operation => {
    const inode = BigInt(file + 2);
    if (kind === 'write') return {kind: 'write', inode, offset, bytes: Buffer.alloc(length, n + 1)};
    return kind === 'sync' ? sync(inode) : {kind: 'truncate', inode, size: offset};
  }),
];

test('when all is synced, every state is what the processes saw; the same numbers give the same state', () => {
  fc.assert(
    fc.property(fc.array(step, {maxLength: 30}), fc.nat(), (steps, seed) => {
      const operations = operationsOf(steps);
      const all = [...operations, ...Array.from({length: FILES}, (_, i) => sync(BigInt(i + 2))), sync(ROOT)];
      const live = replayed(all, true).liveTree();
      expect(differences(crashState(replayed(all), seededRandom(seed)).tree, live)).toEqual([]);
      expect(differences(crashState(replayed(operations), () => 1 / 6).tree, live)).toEqual([]); // keeps everything
      const twice = [1, 2].map(() => crashState(replayed(operations), seededRandom(seed)).tree) as [
        FolderNode,
        FolderNode,
      ];
      expect(differences(...twice)).toEqual([]);
    }),
    {numRuns: 100},
  );
});
