// SPDX-License-Identifier: Apache-2.0
/** The body of a list, made in steps while it is sent, at the pace of the socket: one request holds one piece. */
import {STEPS} from '../base/limits.ts';
import type {CachedObject} from '../cache/cached-object.ts';
import type {ListAnswer} from './answer.ts';
import type {ListMemory} from './list-memory.ts';

export type ListBody = {
  /** It is made in one step. */
  readonly isShort: boolean;
  /** What follows each other; an empty one: a step is done, and nothing can be sent yet. */
  pieces(): Iterable<Buffer>;
};

/** A step is done, and nothing can be sent yet. */
export const NOTHING_YET = Buffer.alloc(0);

export type Slices = readonly (readonly CachedObject[])[];
/** The objects in order, as many at a time as are made in one step; no step is empty. */
export type Steps = Iterable<readonly CachedObject[]>;

/** The body that `make` makes of the steps. */
export const inSteps = (slices: Slices, stepBytes: number, make: (steps: Steps) => Iterable<Buffer>): ListBody => ({
  isShort: isWithin(slices, stepBytes),
  pieces: () => make(stepsOf(slices, stepBytes)),
});

/** Found as they are asked for: looking at all objects of a long list takes longer than a step. */
export const stepsOf = (slices: Slices, stepBytes: number): Steps => ({
  *[Symbol.iterator]() {
    let step: CachedObject[] = [];
    let bytes = 0;
    for (const slice of slices) {
      for (const object of slice) {
        step.push(object);
        bytes += object.itemBytes;
        if (bytes < stepBytes) continue;
        yield step;
        [step, bytes] = [[], 0];
      }
    }
    if (step.length > 0) yield step;
  },
});

/** Whether the items have at most `bytesMax` bytes together. */
export const isWithin = (slices: Slices, bytesMax: number): boolean => {
  let bytes = 0;
  for (const slice of slices) {
    for (const object of slice) {
      bytes += object.itemBytes;
      if (bytes > bytesMax) return false;
    }
  }
  return true;
};

/** Of a reference in an array. */
const REFERENCE_BYTES = 8;

/** What a list keeps in memory until it is sent, apart from what is made of it. */
export const keptBytes = ({slices, isFromHistory}: Pick<ListAnswer, 'slices' | 'isFromHistory'>): number => {
  let bytes = 0;
  for (const slice of slices) {
    bytes += slice.length * REFERENCE_BYTES;
    if (isFromHistory) for (const object of slice) bytes += object.itemBytes;
  }
  return bytes;
};

export const hasItems = (slices: Slices): boolean => slices.some(slice => slice.length > 0);

const END = Buffer.from(']}\n');

/** The stored bytes of a full list: `start item,item,…]}\n`. */
export const storedList = (start: Buffer, slices: Slices, memory: ListMemory): ListBody => ({
  isShort: isWithin(slices, STEPS.listPieceBytes),
  pieces: () => storedPieces(start, slices, memory),
});

function* storedPieces(start: Buffer, slices: Slices, memory: ListMemory): Generator<Buffer> {
  let piece = memory.takePiece();
  let used = start.copy(piece);
  let isFirst = true;
  for (const slice of slices) {
    for (const object of slice) {
      const bytes = object.itemBytes + 1;
      if (used + bytes > piece.length) {
        yield piece.subarray(0, used);
        piece = bytes <= STEPS.listPieceBytes ? memory.takePiece() : Buffer.allocUnsafeSlow(bytes);
        used = 0;
      }
      if (!isFirst) piece[used++] = 0x2c;
      isFirst = false;
      used = object.write(piece, used);
    }
  }
  if (used + END.length > piece.length) {
    yield piece.subarray(0, used);
    piece = memory.takePiece();
    used = 0;
  }
  used += END.copy(piece, used);
  yield piece.subarray(0, used);
}
