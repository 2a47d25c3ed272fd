// SPDX-License-Identifier: Apache-2.0
/**
 * The keys in memory: for each its current entry, and the ids of its superseded versions since the last compaction.
 * So reads of now, preconditions and paging never ask a driver, and a read of the past asks it only for old values.
 * The same split as etcd's: an index of generations in memory, values by revision on disk.
 * Ref: etcd v3.6 server/storage/mvcc/{key_index,index}.go
 *
 * I1 a key is in `live` iff it exists now, in `gone` iff it does not but had a version that can still be read.
 * I2 `past` of a slot ascends by absolute value; a negative number is the removal that ended the version before it.
 * I3 `turnIds` has each creation (id) and removal (-id) since the last compaction, in order, and `turnKeys` its key: they count
 *    the keys of the past.
 *
 * A server may hold a million old versions, so neither they nor the turns are objects of their own.
 */
import type {Entry, Key} from '../store.ts';
import {type Change, type ChangeHead, type ChangeId, lastIdOf, toEntry} from './change.ts';
import {isBelow, merge, OrderedKeys, partition} from './ordered-keys.ts';

type Slot = {readonly key: Key; id: ChangeId; entry: Entry | undefined; past: number[]};
/** What a key is, or was: its entry when that is still current, else the change that holds it. */
export type Version = Entry | ChangeId;

/** Most keys have few versions, and an array that was pushed to has room for half as many, and 16, more. */
const EXACT_MAX = 64;
const NO_PAST: number[] = [];
const withVersion = (past: number[], version: number): number[] => {
  if (past.length < EXACT_MAX) return [...past, version];
  past.push(version);
  return past;
};

export class KeyIndex {
  readonly #slots = new Map<Key, Slot>();
  readonly #live = new OrderedKeys();
  readonly #gone = new OrderedKeys();
  readonly #withPast = new Set<Slot>();
  #turnIds: number[] = [];
  #turnKeys: Key[] = [];
  #versions = 0;

  get size(): number {
    return this.#live.size;
  }

  /** How many changes only reads of the past need. */
  get versions(): number {
    return this.#versions;
  }

  current(key: Key): Entry | undefined {
    return this.#slots.get(key)?.entry;
  }

  /** The change that made the key's current entry; 0: the key is absent. */
  currentId(key: Key): ChangeId {
    const slot = this.#slots.get(key);
    return slot?.entry === undefined ? 0 : slot.id;
  }

  /** Takes the next change, in id order. `entry` is what it leaves; returns what it superseded. */
  apply({id, key}: ChangeHead, entry: Entry | undefined): Entry | undefined {
    let slot = this.#slots.get(key);
    const previous = slot?.entry;
    if (slot === undefined) {
      slot = {key, id, entry, past: NO_PAST};
      this.#slots.set(key, slot);
    } else if (previous === undefined) this.#gone.remove(key);
    else slot.past = withVersion(slot.past, slot.id);
    if (entry === undefined) slot.past = withVersion(slot.past, -id);
    if (slot.past.length > 0) this.#withPast.add(slot);
    this.#versions += (previous === undefined ? 0 : 1) + (entry === undefined ? 1 : 0);
    if (previous !== undefined && entry === undefined) this.#live.remove(key);
    if (entry === undefined) this.#gone.add(key);
    else if (previous === undefined) this.#live.add(key);
    if ((previous === undefined) !== (entry === undefined)) {
      this.#turnIds.push(entry === undefined ? -id : id);
      this.#turnKeys.push(key);
    }
    slot.id = id;
    slot.entry = entry;
    return previous;
  }

  /** Ids of all current entries, ascending. While loading: their values are still to come. */
  currentIds(): ChangeId[] {
    const ids: ChangeId[] = [];
    for (const slot of this.#slots.values()) if (slot.entry !== undefined) ids.push(slot.id);
    return ids.sort((a, b) => a - b);
  }

  /** Gives a loaded key its value. The key itself is held once. */
  fill({id, key, previousId, createRevision, value}: Change): void {
    const slot = this.#slots.get(key);
    if (slot?.id === id) slot.entry = toEntry({id, key: slot.key, previousId, createRevision, value});
  }

  /** A page of now. */
  page(prefix: Key, after: Key | undefined, limit: number): {entries: Entry[]; remaining: number} {
    const entries: Entry[] = [];
    for (const key of this.#live.walk(prefix, after)) {
      if (entries.length === limit) break;
      const entry = this.current(key);
      if (entry !== undefined) entries.push(entry);
    }
    return {entries, remaining: this.#live.count(prefix, after) - entries.length};
  }

  /** What the key was at `revision`, not below the last compaction. */
  versionAt(key: Key, revision: number): Version | undefined {
    const slot = this.#slots.get(key);
    if (slot === undefined) return undefined;
    const last = lastIdOf(revision);
    if (slot.id <= last) return slot.entry;
    const past = slot.past[partition(slot.past.length, i => Math.abs(slot.past[i] ?? 0) <= last) - 1] ?? -1;
    return past < 0 ? undefined : past;
  }

  /** A page as it was at `revision`, not below the last compaction. */
  pageAt(
    revision: number,
    {prefix, after, limit}: {prefix: Key; after: Key | undefined; limit: number},
  ): {versions: Version[]; remaining: number} {
    const versions: Version[] = [];
    for (const key of merge(this.#live.walk(prefix, after), this.#gone.walk(prefix, after))) {
      if (versions.length === limit) break;
      const version = this.versionAt(key, revision);
      if (version !== undefined) versions.push(version);
    }
    return {versions, remaining: this.#countAt(revision, prefix, after) - versions.length};
  }

  /** Keys behind `after` that existed at `revision`: those of now, without later creations, with later removals. */
  #countAt(revision: number, prefix: Key, after: Key | undefined): number {
    let count = this.#live.count(prefix, after);
    const last = lastIdOf(revision);
    for (let i = this.#turnIds.length - 1; i >= 0; i--) {
      const id = this.#turnIds[i] ?? 0;
      const key = this.#turnKeys[i] ?? '';
      if (Math.abs(id) <= last) break;
      if (key.startsWith(prefix) && (after === undefined || isBelow(after, key))) count -= Math.sign(id);
    }
    return count;
  }

  /**
   * Forgets what only reads below `revision` needed, one key at a time. Between two keys the caller may pause: writes, and
   * reads at `revision` or above, are right at any time.
   */
  *compact(revision: number): Generator<void, void> {
    const last = lastIdOf(revision);
    for (const slot of this.#withPast) {
      this.#forget(slot, last);
      yield;
    }
    const gone = partition(this.#turnIds.length, i => Math.abs(this.#turnIds[i] ?? 0) <= last);
    this.#turnIds = this.#turnIds.slice(gone);
    this.#turnKeys = this.#turnKeys.slice(gone);
  }

  #forget(slot: Slot, last: ChangeId): void {
    const {past} = slot;
    // The newest version at or below `last` stays, unless the current one is that, or the key was absent then.
    const older = partition(past.length, i => Math.abs(past[i] ?? 0) <= last);
    const keep = slot.id > last && (past[older - 1] ?? -1) > 0 ? older - 1 : older;
    if (keep === 0) return;
    this.#versions -= keep;
    slot.past = keep === past.length ? NO_PAST : past.slice(keep);
    if (slot.past.length > 0) return;
    this.#withPast.delete(slot);
    if (slot.entry !== undefined) return;
    this.#gone.remove(slot.key);
    this.#slots.delete(slot.key);
  }
}
