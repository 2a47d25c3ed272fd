// SPDX-License-Identifier: Apache-2.0
/** All validators of a registry over the record of its clients. */
import type {Verdict} from '../subject.ts';
import {KvRecord, type Seen, type Version} from './record.ts';
import {Timeline} from './timeline.ts';
import {countsOf, durable, gapless, linearizable, serializable, whole} from './validate-operations.ts';
import {atomic, ordered, previous, reliable, unique, WATCH_VALIDATORS} from './validate-watches.ts';

const OPERATION_VALIDATORS = {linearizable, serializable, durable, whole};

/** `seesAll`: the record has a watch over all that the program keeps, so no revision may be missing in it. */
export function judgeKv(record: KvRecord, {seesAll}: {readonly seesAll: boolean}): Verdict {
  const timeline = new Timeline(record);
  const validators = {...OPERATION_VALIDATORS, ...WATCH_VALIDATORS, ...(seesAll ? {gapless} : {})};
  const violations = Object.entries(validators).map(([name, check]) => [name, check(record, timeline)] as const);
  return {violations: Object.fromEntries(violations), counts: countsOf(record)};
}

/** What a damaged copy serves: its newest revision, its keys, and the changes since `compacted`. */
export type ServedState = {
  readonly revision: number;
  readonly compacted: number;
  readonly entries: readonly Version[];
  readonly events: readonly Seen[];
};

/** `seesAll`: as of judgeKv. `missing`: how many answered transactions are newer than all that it serves. `faults`: what it serves wrongly. */
export function judgeState(
  record: KvRecord,
  {revision, compacted, entries, events}: ServedState,
  {seesAll}: {readonly seesAll: boolean},
): {readonly faults: readonly string[]; readonly missing: number} {
  const copy = new KvRecord();
  copy.calls.push(...record.calls);
  copy.watches.push(...record.watches);
  const watch = copy.watch('copy', {prefix: '', from: compacted, resumes: false});
  copy.events(watch, events);
  copy.audit({round: -1, prefix: '', revision, compacted, entries});
  const timeline = new Timeline(copy);
  // Only the copy is judged, by what all clients know.
  const seen = new KvRecord();
  seen.calls.push(...record.calls.filter(({request}) => request.kind === 'write'));
  seen.watches.push(watch);
  seen.audits.push(...copy.audits);
  const checks = [serializable, whole, ...(seesAll ? [gapless] : []), ordered, unique, atomic, previous, reliable];
  const later = record.calls.flatMap(({answer}) =>
    answer?.kind === 'written' && (answer.revision ?? 0) > revision ? [answer.revision] : [],
  );
  const faults = [...timeline.faults, ...checks.flatMap(check => check(seen, timeline))];
  return {faults, missing: new Set(later).size};
}
