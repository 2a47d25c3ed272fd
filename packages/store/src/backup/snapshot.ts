// SPDX-License-Identifier: Apache-2.0
/** All entries of a store as of one revision, while writes continue. */
import type {Entry, Revision, Store} from '../store.ts';
import {hasCode} from '../store-error.ts';

export type Snapshot = {
  readonly revision: Revision;
  /** In key order. */
  readonly entries: readonly Entry[];
  /** Of all values together. */
  readonly valueBytes: number;
};

/** Entries of one step: about a millisecond of the event loop. */
const PAGE_ITEMS = 1_000;

/**
 * `pause` runs between the steps, so that other work does. Current values are not copied: memory grows by those that are overwritten
 * while the snapshot is held. A compaction that overtakes the reading is met with a second attempt at a newer revision. Rejects with the
 * reason of `signal`, and with what `Store.list` throws.
 */
export async function takeSnapshot(
  store: Pick<Store, 'currentRevision' | 'list'>,
  pause: () => Promise<void>,
  signal?: AbortSignal,
): Promise<Snapshot> {
  try {
    return await readAll(store, pause, signal);
  } catch (error) {
    if (!hasCode(error, 'compacted')) throw error;
    return await readAll(store, pause, signal);
  }
}

const readAll: typeof takeSnapshot = async (store, pause, signal) => {
  const revision = await store.currentRevision();
  const entries: Entry[] = [];
  let valueBytes = 0;
  for (let after: string | undefined; ; ) {
    signal?.throwIfAborted();
    const page = await store.list('', {at: revision, after, limit: PAGE_ITEMS});
    for (const entry of page.entries) {
      entries.push(entry);
      valueBytes += entry.value.length;
    }
    after = page.entries.at(-1)?.key;
    if (after === undefined || page.remaining === 0) return {revision, entries, valueBytes};
    await pause();
  }
};
