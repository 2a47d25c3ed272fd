// SPDX-License-Identifier: Apache-2.0
/**
 * What a storage driver does. It keeps changes under their ids and knows nothing of keys, preconditions or watches;
 * those live above, once for all drivers, in `LogStore`.
 */
import type {Key} from '../store.ts';
import type {Change, ChangeHead, ChangeId} from './change.ts';

export type Replayed = {readonly change: Change; readonly previous: Change | undefined};

export interface LogDriver {
  /** Newest revision ever kept, and the revision below which history is gone. Stays right when all rows are erased. */
  readonly opened: {readonly revision: number; readonly compacted: number};
  /** All changes in id order, without values, from behind `after`; an empty answer is the end. Only used at open. */
  heads(after: ChangeId): Promise<readonly ChangeHead[]>;
  /**
   * Keeps the changes, all or none, and resolves when they would survive a power cut. Called with ascending ids, never
   * before the last call has ended. After a rejection (`unavailable`) none of them is kept.
   */
  append(changes: readonly Change[]): Promise<void>;
  /** The changes with these ids, in this order, at most READ_IDS_MAX. One that is gone throws `compacted`. */
  read(ids: readonly ChangeId[]): Promise<readonly Change[]>;
  /**
   * Changes of a prefix with after < id <= through, in order, each with the one that it superseded. May stop early, but
   * only between revisions; the `through` of the answer says how far it looked.
   */
  scan(prefix: Key, after: ChangeId, through: ChangeId): Promise<{rows: readonly Replayed[]; through: ChangeId}>;
  /** Notes that history below `compacted` is gone, and removes these changes (at most ERASE_IDS_MAX). Durable. */
  erase(compacted: number, ids: readonly ChangeId[]): Promise<void>;
  /** Called once, after the last other call has ended. */
  close(): Promise<void>;
}
