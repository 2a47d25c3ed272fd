// SPDX-License-Identifier: Apache-2.0
/**
 * Decisions about threats, of one or of all that match. Who decided is the user that the request acts as; an impersonator is kept beside
 * it. The caller has the permission already.
 */
import {type EndpointName, formatIdsEndpointName} from '@palisade/ids-wire';
import type {Caller} from '../auth.ts';
import {TRIAGE_BATCH_MAX} from '../limits.ts';
import type {RecordSelection, RecordStore, StoredRecord, TriageChange, TriageSum} from '../records/record-store.ts';
import {invalidArgument} from '../rpc-error.ts';
import type {Service} from '../state/service.ts';
import {reportDecision} from './decision-log.ts';
import {type BatchRequest, openFilter, type TriageAction} from './decision-request.ts';
import {findThreat, threatNotFound} from './find-threat.ts';

export type DecisionDeps = {readonly service: Pick<Service, 'clock' | 'log'>; readonly records: RecordStore};

const changeOf = (
  {service}: DecisionDeps,
  caller: Caller,
  action: TriageAction,
  text: string | undefined,
): TriageChange => {
  const {actingName: user, requestor} = caller;
  return {
    action,
    user,
    ...(requestor.name === user ? {} : {requestor: requestor.name}),
    timeMs: service.clock.now(),
    ...(text === undefined ? {} : {text}),
  } as TriageChange; // a comment without a text was refused
};

/** The record as it is then. Throws NOT_FOUND, FAILED_PRECONDITION for one that cannot take another decision. */
export const decideThreat = async (
  deps: DecisionDeps,
  caller: Caller,
  at: {readonly name: EndpointName; readonly id: string},
  {action, comment}: {readonly action: TriageAction; readonly comment: string | undefined},
): Promise<StoredRecord> => {
  const {records, service} = deps;
  const {endpoint, id} = await findThreat(records, at.name, at.id);
  const {matched, changed} = await records.triage({endpoint, id}, changeOf(deps, caller, action, comment));
  if (matched > 0)
    reportDecision(service.log, caller, {
      action,
      endpoint,
      threat: id,
      hasComment: comment !== undefined,
      matched,
      changed,
    });
  const decided = matched === 0 ? undefined : await records.get('threats', endpoint, id);
  if (decided === undefined) throw threatNotFound(endpoint, id); // retention took it meanwhile
  return decided;
};

/** The records that an action changes, and what it makes of them, for a refusal. */
const WORDS: Readonly<Record<TriageAction, readonly [open: string, done: string]>> = {
  acknowledge: [' that are not acknowledged', 'acknowledged'],
  unacknowledge: [' that are acknowledged', 'changed'],
  escalate: [' that are not escalated', 'escalated'],
  deescalate: [' that are escalated', 'changed'],
  comment: ['', 'commented'],
};

/**
 * Decides about all that match and are not so already; the comment goes to these. `changed`: how many they were, or with `validateOnly`
 * would be. Throws INVALID_ARGUMENT for more than TRIAGE_BATCH_MAX of them, and changes nothing. Another failure may leave some of them
 * decided; the same request continues with the others, but for comments, which it adds again.
 */
export const decideAll = async (
  deps: DecisionDeps,
  caller: Caller,
  name: EndpointName,
  {action, comment, validateOnly, ...rest}: BatchRequest & {readonly action: TriageAction},
): Promise<{readonly matched: number; readonly changed: number}> => {
  const {records, service} = deps;
  const selection: RecordSelection = {kind: 'threats', name, ...rest};
  const open = {...selection, filter: openFilter(rest.filter, action)};
  const count = async (of: RecordSelection): Promise<number> =>
    (await records.aggregate({...of, groupsMax: 0})).total.records;
  const [matched, left] = [await count(selection), await count(open)];
  if (left > TRIAGE_BATCH_MAX) {
    const [which, done] = WORDS[action];
    const description = `matches ${left} records${which}; at most ${TRIAGE_BATCH_MAX} are ${done} at once: narrow it with since and until`;
    throw invalidArgument([{field: 'filter', description}]);
  }
  if (validateOnly) return {matched, changed: left};
  const endpoint = formatIdsEndpointName(name);
  let before: number | undefined;
  const report = ({changed}: Pick<TriageSum, 'changed'>): void => {
    reportDecision(service.log, caller, {
      action,
      endpoint,
      selection: rest,
      hasComment: comment !== undefined,
      matched: Math.max(matched, changed + (before ?? 0)),
      changed,
      ...(before === undefined ? {} : {changedBefore: before}),
    });
    before = (before ?? 0) + changed;
  };
  if (left > 0) await records.triage(open, changeOf(deps, caller, action, comment), report);
  if (before === undefined) report({changed: 0});
  const changed = before ?? 0;
  return {matched: Math.max(matched, changed), changed};
};
