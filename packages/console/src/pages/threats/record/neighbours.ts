// SPDX-License-Identifier: Apache-2.0
/** The records before and after one, in the order of the list: newest first, then by name. */
import {type Threat, toRow} from '../model/threat-row.ts';

export type Neighbours = {readonly newer: string | undefined; readonly older: string | undefined};

/** `around`: records with the times at and next to that of `own`, in any order, which may hold `own` itself and others twice. */
export function neighboursOf(own: Threat, around: readonly Threat[]): Neighbours {
  const name = toRow(own).name;
  const byName = new Map([...around, own].map(threat => [toRow(threat).name, threat.event_time]));
  const names = [...byName]
    .sort(([a, atA], [b, atB]) => (atA === atB ? (a < b ? -1 : 1) : atA < atB ? 1 : -1))
    .map(([each]) => each);
  const at = names.indexOf(name);
  return {newer: names[at - 1], older: names[at + 1]};
}
