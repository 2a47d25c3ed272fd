// SPDX-License-Identifier: Apache-2.0
/** The store without a disk: for tests, and for servers that may forget. */

import {STORE_LIMITS, type StoreLimits} from '../../limits.ts';
import type {Change, Commit, Loaded, LogDriver, PastChange} from '../../log/driver.ts';
import {compareKeys} from '../../log/keys.ts';
import {openLogStore} from '../../log/log-store.ts';
import type {Entry, Key, Revision, Store} from '../../store.ts';

type Version = Change & {readonly revision: Revision};

class MemoryDriver implements LogDriver {
  #versions: Version[] = [];

  async load(): Promise<Loaded> {
    return {revision: 0n, compacted: 0n, entries: []};
  }

  async append(commits: readonly Commit[]): Promise<void> {
    for (const {revision, changes} of commits) for (const change of changes) this.#versions.push({...change, revision});
  }

  async changes(prefix: Key, after: Revision, until: Revision, limit: number): Promise<readonly PastChange[]> {
    const found: PastChange[] = [];
    for (const [i, version] of this.#versions.entries()) {
      if (version.revision <= after || version.revision > until || !version.key.startsWith(prefix)) continue;
      if (found.length >= limit && found.at(-1)?.revision !== version.revision) break;
      found.push({...version, previous: this.#lastBefore(version.key, i)});
    }
    return found;
  }

  async entryAt(key: Key, at: Revision): Promise<Entry | undefined> {
    return this.#stateAt(at, k => k === key).get(key);
  }

  async pageAt(
    prefix: Key,
    opts: {at: Revision; after: Key | undefined; limit: number},
  ): Promise<{entries: readonly Entry[]; remaining: number}> {
    const {at, after, limit} = opts;
    const state = this.#stateAt(
      at,
      key => key.startsWith(prefix) && (after === undefined || compareKeys(key, after) > 0),
    );
    const entries = [...state.values()].sort((a, b) => compareKeys(a.key, b.key));
    return {entries: entries.slice(0, limit), remaining: Math.max(0, entries.length - limit)};
  }

  async compact(below: Revision): Promise<void> {
    const newest = new Map<Key, Version>();
    for (const version of this.#versions) if (version.revision <= below) newest.set(version.key, version);
    this.#versions = this.#versions.filter(
      v => v.revision >= below || (newest.get(v.key) === v && v.value !== undefined),
    );
  }

  async close(): Promise<void> {}

  #lastBefore(key: Key, index: number): Entry | undefined {
    for (let i = index - 1; i >= 0; i--) {
      const version = this.#versions[i] as Version;
      if (version.key === key) return toEntry(version);
    }
    return undefined;
  }

  #stateAt(at: Revision, wanted: (key: Key) => boolean): Map<Key, Entry> {
    const state = new Map<Key, Entry>();
    for (const version of this.#versions) {
      if (version.revision > at) break;
      if (!wanted(version.key)) continue;
      const entry = toEntry(version);
      if (entry === undefined) state.delete(version.key);
      else state.set(version.key, entry);
    }
    return state;
  }
}

const toEntry = (v: Version): Entry | undefined =>
  v.value === undefined
    ? undefined
    : {key: v.key, value: v.value, createRevision: v.createRevision, modRevision: v.revision};

export const openMemoryStore = (opts: {readonly limits?: Partial<StoreLimits>} = {}): Promise<Store> =>
  openLogStore(new MemoryDriver(), {...STORE_LIMITS, ...opts.limits});
