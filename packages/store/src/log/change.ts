// SPDX-License-Identifier: Apache-2.0
/** The unit that drivers keep: one change of one key, under an id that carries its revision. */
import {TXN_STEPS_MAX} from '../limits.ts';
import type {Entry, Key} from '../store.ts';

/**
 * revision * TXN_STEPS_MAX + step: ids grow with revisions and order the steps of one transaction.
 * A safe integer up to revision 7 * 10^13 (at 100,000 writes/s: 22 years).
 */
export type ChangeId = number;

export type Change = {
  readonly id: ChangeId;
  readonly key: Key;
  /** The change that this one supersedes; 0: the key was absent before. */
  readonly previousId: ChangeId;
  /** Revision that created the key; 0: this change removes the key. */
  readonly createRevision: number;
  /** Undefined exactly when the key is removed. */
  readonly value: Uint8Array | undefined;
};

/** A change without its value: what the index needs. */
export type ChangeHead = Omit<Change, 'value'>;

export const changeId = (revision: number, step: number): ChangeId => revision * TXN_STEPS_MAX + step;
export const revisionOf = (id: ChangeId): number => Math.floor(id / TXN_STEPS_MAX);
/** No change of `revision` has a greater id. */
export const lastIdOf = (revision: number): ChangeId => changeId(revision, TXN_STEPS_MAX - 1);

/** The entry that a put leaves. Undefined for a removal. */
export const toEntry = (change: Change): Entry | undefined =>
  change.value === undefined
    ? undefined
    : {
        key: change.key,
        value: change.value,
        createRevision: BigInt(change.createRevision),
        modRevision: BigInt(revisionOf(change.id)),
      };
