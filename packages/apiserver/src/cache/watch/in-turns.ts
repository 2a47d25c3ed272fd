// SPDX-License-Identifier: Apache-2.0
import type {Scheduler} from './scheduler.ts';

/** Pieces of at most `size` items, in order; each after the first in a turn of its own. */
export async function* piecesInTurns<T>(
  slices: Iterable<readonly T[]>,
  size: number,
  scheduler: Scheduler,
): AsyncGenerator<readonly T[]> {
  let isFirst = true;
  for (const slice of slices) {
    for (let at = 0; at < slice.length; at += size) {
      if (!isFirst) await scheduler.turn();
      isFirst = false;
      yield slice.slice(at, at + size);
    }
  }
}
