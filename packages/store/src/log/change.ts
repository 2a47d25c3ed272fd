// SPDX-License-Identifier: Apache-2.0
/** The unit that drivers keep: one change of one key, under an id that carries its revision. */
import {TXN_STEPS_MAX} from '../limits.ts';
import type {Entry, Key} from '../store.ts';

/**
 * revision * TXN_STEPS_MAX + step: ids grow with revisions and order the steps of one transaction.
 * A safe integer up to revision 7 * 10^13 (at 100,000 writes/s: 22 years).
 */
export type ChangeId = number;

/** A change without its value: what the index needs. */
export type ChangeHead = {
  readonly id: ChangeId;
  readonly key: Key;
  /** The change that this one supersedes; 0: the key was absent before. */
  readonly previousId: ChangeId;
  /** Revision that created the key; 0: this change removes the key. */
  readonly createRevision: number;
};
/** `value` is undefined exactly when the key is removed. */
export type Change = ChangeHead & {readonly value: Uint8Array | undefined};

export const changeId = (revision: number, step: number): ChangeId => revision * TXN_STEPS_MAX + step;
export const revisionOf = (id: ChangeId): number => Math.floor(id / TXN_STEPS_MAX);
/** No change of `revision` has a greater id. */
export const lastIdOf = (revision: number): ChangeId => changeId(revision, TXN_STEPS_MAX - 1);

/** The entry that a change leaves; undefined for a removal. */
export const toEntry = ({id, key, value, createRevision}: Change): Entry | undefined =>
  value === undefined
    ? undefined
    : {key, value, createRevision: BigInt(createRevision), modRevision: BigInt(revisionOf(id))};
