// SPDX-License-Identifier: Apache-2.0
/**
 * What a watch promises, each as a check over what it delivered: a list of faults, empty when it holds.
 * Ref: etcd tests/robustness/validate/watch.go
 */
import type {Key, Revision, StoreEvent} from '../store.ts';
import {line} from './under-test.ts';

type Batches = readonly (readonly StoreEvent[])[];
const keyOf = (event: StoreEvent): Key => (event.type === 'put' ? event.entry.key : event.key);

/** Revisions never go down. */
export const ordered = (batches: Batches): string[] =>
  batches
    .flat()
    .flatMap((event, i, all) =>
      (all[i - 1]?.revision ?? 0n) > event.revision ? [`out of order: ${line(event)}`] : [],
    );

/** No change comes twice. */
export function unique(batches: Batches): string[] {
  const seen = new Set<string>();
  return batches.flat().flatMap(event => {
    const name = `${event.revision} ${keyOf(event)}`;
    const fault = seen.has(name) ? [`twice: ${line(event)}`] : [];
    seen.add(name);
    return fault;
  });
}

/** The events of one revision come in one batch. */
export const atomic = (batches: Batches): string[] =>
  batches.flatMap((batch, i) => {
    const before = batches[i - 1]?.at(-1)?.revision;
    return batch[0] !== undefined && before === batch[0].revision ? [`revision ${before} was split`] : [];
  });

/** Exactly the history behind `from`, with nothing left out and nothing added. */
export function reliable(batches: Batches, history: readonly StoreEvent[], from: Revision): string[] {
  const got = batches.flat().map(line);
  const want = history.filter(event => event.revision > from).map(line);
  const at = want.findIndex((text, i) => text !== got[i]);
  if (at >= 0) return [`event ${at}: want ${want[at]}, got ${got[at]}`];
  return got.length > want.length ? [`added: ${got[want.length]}`] : [];
}

/** All of it, by name. */
export const validateWatch = (
  batches: Batches,
  {history, from}: {readonly history: readonly StoreEvent[]; readonly from: Revision},
): Record<string, string[]> => ({
  ordered: ordered(batches),
  unique: unique(batches),
  atomic: atomic(batches),
  reliable: reliable(batches, history, from),
});
export const NO_FAULTS = {ordered: [], unique: [], atomic: [], reliable: []};
