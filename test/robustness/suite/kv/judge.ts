// SPDX-License-Identifier: Apache-2.0
/** All validators of a registry over the record of its clients. */
import type {Verdict} from '../subject.ts';
import type {KvRecord} from './record.ts';
import {Timeline} from './timeline.ts';
import {countsOf, durable, gapless, linearizable, serializable, whole} from './validate-operations.ts';
import {WATCH_VALIDATORS} from './validate-watches.ts';

const OPERATION_VALIDATORS = {linearizable, serializable, durable, whole};

/** `seesAll`: the record has a watch over all that the program keeps, so no revision may be missing in it. */
export function judgeKv(record: KvRecord, {seesAll}: {readonly seesAll: boolean}): Verdict {
  const timeline = new Timeline(record);
  const validators = {...OPERATION_VALIDATORS, ...WATCH_VALIDATORS, ...(seesAll ? {gapless} : {})};
  const violations = Object.entries(validators).map(([name, check]) => [name, check(record, timeline)] as const);
  return {violations: Object.fromEntries(violations), counts: countsOf(record)};
}
