// SPDX-License-Identifier: Apache-2.0
/**
 * What a storage driver does: it keeps changes under their ids. Keys in order, preconditions, reads at a revision and
 * watches live above, once for all drivers, in `LogStore`.
 */
import type {Key} from '../store.ts';
import type {Change, ChangeHead, ChangeId} from './change.ts';

export type Replayed = {readonly change: Change; readonly previous: Change | undefined};
export type Replay = {readonly rows: readonly Replayed[]; readonly through: ChangeId};
export type Opened = {
  /** Newest revision ever kept, right even when all its changes were erased. */
  readonly revision: number;
  /** Oldest revision that can still be read. */
  readonly compacted: number;
};

/** A part of a long task: how long it took, and whether there is more to do. */
export type Step = {readonly more: boolean; readonly ms: number};
/** `erased`: changes that it removed. */
export type EraseStep = Step & {readonly erased: number};

export interface LogDriver {
  /** Where it keeps things, for messages: a path, or `memory`. */
  readonly place: string;
  /** Called once, first. Throws `locked`, `format`, `corrupt`, `lost-writes`, `disk-full`, `disk-failed`, `unavailable`; nothing is changed then. */
  open(): Promise<Opened>;
  /** Changes in id order, without their values, behind `after`; an empty answer is the end. Only while loading. */
  heads(after: ChangeId): Promise<readonly ChangeHead[]>;
  /**
   * Keeps the changes, all or none, and resolves when they would survive a power cut. Ids ascend, and the next call
   * comes after this one ended. When it throws (`disk-full`, `disk-failed`, `unavailable`), none of them is kept.
   */
  append(changes: readonly Change[]): Promise<void>;
  /** The changes with these ids, in this order. One that was erased throws `compacted`; a damaged one `corrupt`. */
  read(ids: readonly ChangeId[]): Promise<readonly Change[]>;
  /**
   * Changes of a prefix with after < id <= through, in order, each with the one that it superseded. Stops early when
   * `bytesMax` is reached, but only between revisions; `through` of the answer says how far it looked.
   */
  scan(prefix: Key, range: {after: ChangeId; through: ChangeId; bytesMax: number}): Promise<Replay>;
  /**
   * One step of a compaction: notes that history below `compacted` is gone, and removes some of the changes that only older
   * revisions need, the older of a key first. Durable. Its time is bounded, so that writes get in between.
   */
  erase(compacted: number): Promise<EraseStep>;
  /**
   * Gives back to the system some of the room that erased changes left, but for what the next changes will use. Its time is
   * bounded, too.
   */
  shrink(): Promise<Step>;
  /** After the last `append` ended. Other calls still under way are answered first. */
  close(): Promise<void>;
}
