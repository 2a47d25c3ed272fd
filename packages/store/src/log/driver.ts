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
  /** Notes that history below `compacted` is gone, and removes these changes. Durable. */
  erase(compacted: number, ids: readonly ChangeId[]): Promise<void>;
  /**
   * Gives back to the system a bounded part of the room that erased changes left, but for some that the next changes will
   * use. False: there is no more to give back.
   */
  shrink(): Promise<boolean>;
  /** After the last `append` ended. Other calls still under way are answered first. */
  close(): Promise<void>;
}
