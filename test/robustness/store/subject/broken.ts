// SPDX-License-Identifier: Apache-2.0
/** Stores that are broken on purpose: the suite has to find each. */
import type {Store, StoreEvent} from '@palisade/store';
import type {Broken} from './lines.ts';

const DROPPED_AT = 37;

/** A watch that leaves one change out. */
async function* dropping(source: AsyncIterable<readonly StoreEvent[]>): AsyncGenerator<readonly StoreEvent[]> {
  let count = 0;
  for await (const batch of source) {
    const kept = batch.filter(() => ++count !== DROPPED_AT);
    if (kept.length > 0) yield kept;
  }
}

/** `unsynced` breaks the driver, before this (unsynced.ts). */
export function breakStore(store: Store, broken: Broken | undefined): Store {
  if (broken === 'drops-event') {
    const watch = store.watch.bind(store);
    store.watch = (prefix, from, signal) => dropping(watch(prefix, from, signal));
  }
  return store;
}
