// SPDX-License-Identifier: Apache-2.0
/**
 * When which revision was the newest, so that history older than a window can be found. Moments are milliseconds of the time
 * that servers have run on this store, not of the clock: a clock that is set, in either direction, makes no history older.
 *
 * I1 marks ascend, by revision and by moment.
 * I2 a write after a mark has a higher revision than it.
 */
import type {Revision} from '@palisade/store';

export type Mark = {readonly revision: Revision; readonly ranMs: number};
/** What the store holds: the marks, and what both clocks showed when it was written. */
export type KeptMarks = {readonly marks: readonly Mark[]; readonly ranMs: number; readonly timeMs: number};

export class RevisionMarks {
  #marks: Mark[];

  constructor(marks: readonly Mark[] = []) {
    this.#marks = [...marks];
  }

  get all(): readonly Mark[] {
    return this.#marks;
  }

  get newest(): Mark | undefined {
    return this.#marks.at(-1);
  }

  /** `revision` is the newest one now. */
  add(mark: Mark): void {
    if (this.newest === undefined || mark.revision > this.newest.revision) this.#marks.push(mark);
  }

  /** The newest mark that is not younger than `ranMs`: only reads of an older state need revisions below it. */
  before(ranMs: number): Mark | undefined {
    return this.#marks.findLast(mark => mark.ranMs <= ranMs);
  }

  /** Keeps one mark at or below the oldest revision that can be read: it says since when that one can be. */
  drop(oldest: Revision): void {
    const first = this.#marks.findLastIndex(({revision}) => revision <= oldest);
    if (first > 0) this.#marks = this.#marks.slice(first);
  }

  /** The moment of the oldest revision that can be read; undefined: before all marks. */
  momentOf(oldest: Revision): number | undefined {
    return this.#marks.findLast(({revision}) => revision <= oldest)?.ranMs ?? this.#marks[0]?.ranMs;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const encodeMarks = ({marks, ranMs, timeMs}: KeptMarks): Uint8Array =>
  encoder.encode(JSON.stringify({ranMs, timeMs, marks: marks.map(mark => [String(mark.revision), mark.ranMs])}));

/** Undefined: not readable; new marks take their place. */
export const decodeMarks = (value: Uint8Array): KeptMarks | undefined => {
  try {
    const {ranMs, timeMs, marks} = JSON.parse(decoder.decode(value));
    const read = marks.map(([revision, at]: [string, number]): Mark => ({revision: BigInt(revision), ranMs: at}));
    const moments: readonly number[] = [timeMs, ...read.map((mark: Mark) => mark.ranMs), ranMs];
    if (!moments.every(Number.isSafeInteger)) return undefined;
    const ascend = read.every(
      (mark: Mark, i: number) =>
        mark.ranMs <= (read[i + 1]?.ranMs ?? ranMs) && mark.revision < (read[i + 1]?.revision ?? mark.revision + 1n),
    );
    return ascend ? {marks: read, ranMs, timeMs} : undefined;
  } catch {
    return undefined;
  }
};
