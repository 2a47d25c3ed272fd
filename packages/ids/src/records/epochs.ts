// SPDX-License-Identifier: Apache-2.0
/**
 * The history of a record store: an epoch begins with each start. Two stores that come from one copy share the epochs up to the copy, and
 * none after it; so a cursor that names the epoch in which it was given tells whether a store has what was written before that cursor.
 */
import type {RecordCursor} from './record-store.ts';

/** `first`: the first sequence number that it may give. */
export type Epoch = {readonly name: string; readonly first: number};

/** Epochs that are kept; a cursor of an older one counts as one of another history. */
export const EPOCHS_MAX = 1_000;

export const withEpoch = (epochs: readonly Epoch[], epoch: Epoch): readonly Epoch[] =>
  [...epochs, epoch].slice(-EPOCHS_MAX);

/** `sequence`: of the last commit. */
export const isOfHistory = (epochs: readonly Epoch[], sequence: number, cursor: RecordCursor): boolean => {
  const at = epochs.findIndex(({name}) => name === cursor.history);
  const end = epochs[at + 1]?.first ?? Number.POSITIVE_INFINITY;
  return at >= 0 && cursor.sequence < end && cursor.sequence <= sequence;
};
