// SPDX-License-Identifier: Apache-2.0
/** What a driver has to do: keep commits durably, and read old ones. All rules of the store are in LogStore, above it. */
import type {Entry, Key, Revision} from '../store.ts';

/** One key's change in a commit; `value` undefined: deleted. */
export type Change = {readonly key: Key; readonly value: Uint8Array | undefined; readonly createRevision: Revision};
export type Commit = {readonly revision: Revision; readonly changes: readonly Change[]};
/** A change as it is replayed, with what stood there before it. */
export type PastChange = Change & {readonly revision: Revision; readonly previous: Entry | undefined};

export type Loaded = {readonly revision: Revision; readonly compacted: Revision; readonly entries: readonly Entry[]};

export interface LogDriver {
  /** The newest state. Called once, first. */
  load(): Promise<Loaded>;
  /** Makes the commits durable, all or none, in order. Rejects with `unavailable` when the disk refuses; nothing is kept then. */
  append(commits: readonly Commit[]): Promise<void>;
  /** Changes of a prefix with `after` < revision ≤ `until`, in order, whole revisions, about `limit` of them. */
  changes(prefix: Key, after: Revision, until: Revision, limit: number): Promise<readonly PastChange[]>;
  /** The entry of a key as it was at a revision. */
  entryAt(key: Key, at: Revision): Promise<Entry | undefined>;
  /** Like `entryAt` for a page of a prefix. */
  pageAt(
    prefix: Key,
    opts: {readonly at: Revision; readonly after: Key | undefined; readonly limit: number},
  ): Promise<{readonly entries: readonly Entry[]; readonly remaining: number}>;
  /** Forgets what only revisions below `below` can see. */
  compact(below: Revision): Promise<void>;
  close(): Promise<void>;
}
