// SPDX-License-Identifier: Apache-2.0
/**
 * A state of the disk after power loss: what is durable (replay.ts), and of the pending changes what chance chose.
 *
 *   C1 A file is written in sectors of 512 or of 4096 bytes. Each sector is as it was after any of its pending writes, or before
 *      all of them, whatever its neighbours are: any order of writing, and writes that are there in part.
 *   C2 The size may have grown without the data (zeros), in part, or not at all (what was written behind it is not there).
 *   C3 A cut of a file is there or not; what was written behind the cut later is there only if the cut is.
 *   C4 A name change is there wholly or not at all, only after all earlier ones of the same names. Those of different names are
 *      there in any combination; in half of the states in the order of their making, as with a journal.
 *   C5 One state in six keeps nothing that was not synced, one in ten keeps everything, and one in six keeps what was done before some
 *      moment.
 */
import {
  applyChange,
  applyNames,
  type DiskFile,
  type DiskFolder,
  type DiskNode,
  endOf,
  type FileWrite,
  namesOf,
  type Replay,
} from './replay.ts';
import type {FolderNode, Node} from './tree.ts';

/** Numbers in [0, 1). */
export type Random = () => number;

/** Ref: faulty-disk.ts. */
export type PowerLoss = {
  readonly kept: number;
  readonly lost: number;
  readonly torn: number;
  readonly names: {readonly kept: number; readonly lost: number};
};

type Fate = 'kept' | 'lost' | 'torn';
type Mode = {
  readonly files: (file: DiskFile) => readonly Fate[];
  readonly keepsName: (order: number) => boolean;
  readonly isOrdered: boolean;
};

/** Uses the replay up. */
export const crashState = (replay: Replay, random: Random): {tree: FolderNode; loss: PowerLoss} => {
  const mode = modeOf(replay, random);
  const names = settleNames(replay, mode);
  const fates = [...replay.files()].flatMap(mode.files);
  const count = (fate: Fate): number => fates.filter(one => one === fate).length;
  const loss = {kept: count('kept'), lost: count('lost'), torn: count('torn'), names};
  return {tree: folderOf(replay.root, new Map()), loss};
};

const modeOf = (replay: Replay, random: Random): Mode => {
  const dice = random();
  if (dice < 1 / 6) return upTo(-1);
  if (dice < 1 / 6 + 1 / 10) return upTo(Number.MAX_SAFE_INTEGER);
  if (dice < 1 / 3 + 1 / 10) return upTo(momentOf(replay, random));
  const sector = random() < 0.5 ? 512 : 4_096;
  const share = [0.1, 0.5, 0.9][Math.floor(random() * 3)] ?? 0.5;
  return {
    files: file => settleFile(file, {sector, share, random}),
    keepsName: () => random() < share,
    isOrdered: random() < 0.5,
  };
};

const momentOf = (replay: Replay, random: Random): number => {
  const changes = [...replay.pendingNames, ...[...replay.files()].flatMap(({pending}) => pending)];
  return changes[Math.floor(random() * changes.length)]?.order ?? 0;
};

/** Everything before a moment, and nothing after it. */
const upTo = (order: number): Mode => ({
  files: ({pending, durable}) =>
    pending.flatMap(change => {
      const isKept = change.order < order;
      if (isKept) applyChange(durable, change);
      return change.kind === 'size' ? [] : [isKept ? 'kept' : 'lost'];
    }),
  keepsName: change => change < order,
  isOrdered: true,
});

const settleNames = (replay: Replay, {keepsName, isOrdered}: Mode): PowerLoss['names'] => {
  const blocked = new Set<string>();
  let kept = 0;
  for (const change of replay.pendingNames) {
    const names = namesOf(change);
    const isLost = (isOrdered && blocked.size > 0) || names.some(name => blocked.has(name)) || !keepsName(change.order);
    if (isLost) for (const name of names) blocked.add(name);
    else {
      applyNames(change);
      kept++;
    }
  }
  return {kept, lost: replay.pendingNames.length - kept};
};

type Chances = {readonly sector: number; readonly share: number; readonly random: Random};

/** The cuts of the file: those from `end` on are not there (C3), the first of which cut it to `size`. */
type Cuts = {readonly all: ReadonlySet<number>; readonly end: number; readonly size: number};

const chooseCuts = ({pending, durable}: DiskFile, random: Random): Cuts => {
  const cuts: {index: number; size: number}[] = [];
  let size = durable.size;
  for (const [index, change] of pending.entries()) {
    if (change.kind === 'size' && change.size < size) cuts.push({index, size: change.size});
    size = change.kind === 'size' ? change.size : Math.max(size, endOf(change));
  }
  const lost = cuts[Math.floor(random() * (cuts.length + 1))];
  const all = new Set(cuts.map(({index}) => index));
  return lost === undefined ? {all, end: pending.length, size: Infinity} : {all, end: lost.index, size: lost.size};
};

/** Numbers of the sectors that a write touches. */
const sectorsOf = ({offset, bytes}: FileWrite, sector: number): number[] => {
  const first = Math.floor(offset / sector);
  return Array.from({length: Math.ceil((offset + bytes.length) / sector) - first}, (_, i) => first + i);
};

/** Of each sector, the index of the last write that is there; -1: none (C1). */
const chooseVersions = ({pending}: DiskFile, cuts: Cuts, {sector, share, random}: Chances): Map<number, number> => {
  const versions = new Map<number, number[]>();
  for (const [index, change] of pending.entries()) {
    if (change.kind === 'size') continue;
    for (const place of sectorsOf(change, sector)) {
      if (index >= cuts.end && (place + 1) * sector > cuts.size) continue;
      const known = versions.get(place);
      if (known === undefined) versions.set(place, [index]);
      else known.push(index);
    }
  }
  const choose = (of: readonly number[]): number =>
    (random() < share ? of.at(-1) : of[Math.floor(random() * (of.length + 1)) - 1]) ?? -1;
  return new Map([...versions].map(([place, of]) => [place, choose(of)]));
};

/** The part of a write that is in a sector. */
const pieceOf = ({offset, bytes}: FileWrite, place: number, sector: number): {from: number; bytes: Buffer} => {
  const from = Math.max(offset, place * sector);
  return {from, bytes: bytes.subarray(from - offset, (place + 1) * sector - offset)};
};

/** Writes into the durable bytes of the file what chance chose. */
const settleFile = (file: DiskFile, chances: Chances): Fate[] => {
  const {pending, durable} = file;
  const {sector, share, random} = chances;
  const cuts = chooseCuts(file, random);
  const versions = chooseVersions(file, cuts, chances);
  let [sizeMin, sizes]: [number, number[]] = [durable.size, []];
  for (const [index, change] of pending.entries()) {
    if (change.kind === 'write') {
      sizes.push(endOf(change), Math.floor((change.offset + random() * change.bytes.length) / sector) * sector);
      for (const place of sectorsOf(change, sector)) {
        const {from, bytes} = pieceOf(change, place, sector);
        if (index <= (versions.get(place) ?? -1)) durable.write(from, bytes);
      }
    } else if (!cuts.all.has(index)) sizes.push(change.size);
    else if (index < cuts.end) {
      durable.resize(change.size);
      [sizeMin, sizes] = [change.size, []];
    }
  }
  const grown = random() < share ? Math.max(sizeMin, ...sizes) : sizes[Math.floor(random() * sizes.length)];
  durable.resize(Math.max(sizeMin, grown ?? 0)); // C2
  return pending.flatMap((change, index) => {
    if (change.kind === 'size') return [];
    const pieces = sectorsOf(change, sector).map(place => {
      const {from, bytes} = pieceOf(change, place, sector);
      return index <= (versions.get(place) ?? -1) && from + bytes.length <= durable.size;
    });
    return [pieces.every(isThere => isThere) ? 'kept' : pieces.some(isThere => isThere) ? 'torn' : 'lost'];
  });
};

const treeOf = (node: DiskNode, known: Map<DiskNode, Node>): Node => {
  const found = known.get(node);
  if (found !== undefined) return found;
  const made = copyOf(node, known);
  known.set(node, made);
  return made;
};

const copyOf = (node: DiskNode, known: Map<DiskNode, Node>): Node => {
  if (node.kind === 'symbolic link') return node;
  if (node.kind === 'file') return {kind: 'file', mode: node.mode, bytes: node.durable.bytes};
  return folderOf(node, known);
};

const folderOf = ({mode, durable}: DiskFolder, known: Map<DiskNode, Node>): FolderNode => ({
  kind: 'folder',
  mode,
  entries: new Map([...durable].map(([name, node]) => [name, treeOf(node, known)])),
});
