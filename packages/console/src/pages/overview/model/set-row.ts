// SPDX-License-Identifier: Apache-2.0
/** Of a set of endpoints, what the overview counts. */
import type {Endpoints} from '@palisade/client/browser';
import {parseTime} from '../../../ui/data/time-text.ts';

export type SetRow = {
  readonly namespace: string;
  readonly name: string;
  readonly ready: number;
  readonly total: number;
  /** At a port at least; `ready` has those too that are ready at another. */
  readonly notReady: number;
  /** Milliseconds since the epoch; undefined: it is not being deleted. */
  readonly deletingSince: number | undefined;
};

export function toSetRow({metadata, subsets = []}: Endpoints): SetRow {
  const ready = new Set<string>();
  const notReady = new Set<string>();
  for (const subset of subsets) {
    for (const {ip} of subset.addresses ?? []) ready.add(ip);
    for (const {ip} of subset.notReadyAddresses ?? []) notReady.add(ip);
  }
  return {
    namespace: metadata?.namespace ?? '',
    name: metadata?.name ?? '',
    ready: ready.size,
    total: new Set([...ready, ...notReady]).size,
    notReady: notReady.size,
    deletingSince: parseTime(metadata?.deletionTimestamp),
  };
}

export const isFailingSet = ({notReady}: SetRow): boolean => notReady > 0;

export type SetSums = {
  readonly sets: number;
  readonly empty: number;
  readonly failing: readonly SetRow[];
  readonly ready: number;
  readonly total: number;
};

/** Failing ones: the least ready first. */
export function sumSets(rows: readonly SetRow[]): SetSums {
  let [ready, total, empty] = [0, 0, 0];
  for (const row of rows) {
    ready += row.ready;
    total += row.total;
    if (row.total === 0) empty++;
  }
  const failing = rows
    .filter(isFailingSet)
    .sort((a, b) => a.ready / a.total - b.ready / b.total || b.notReady - a.notReady);
  return {sets: rows.length, empty, failing, ready, total};
}
