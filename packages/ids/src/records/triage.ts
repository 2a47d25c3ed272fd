// SPDX-License-Identifier: Apache-2.0
/** Decisions about a threat: a list of who did what when, and the fields of the record that follow from it. */
import {formatTimestamp, type ThreatTriage} from '@palisade/ids-wire';
import {TRIAGE_BYTES_MAX, TRIAGE_EVENTS_MAX} from '../limits.ts';
import {RecordStoreError, type TriageChange} from './record-store.ts';

/** In order; never rewritten. */
export type TriageEvents = readonly TriageChange[];

/**
 * Undefined: `change` makes nothing different. A threat whose decisions are TRIAGE_EVENTS_MAX, or would take more than TRIAGE_BYTES_MAX,
 * takes no other one: where it is one of many
 * it stays as it is, else RecordStoreError (`too-large`) is thrown.
 */
export const withChange = (
  events: TriageEvents,
  change: TriageChange,
  {isOne}: {readonly isOne: boolean} = {isOne: true},
): TriageEvents | undefined => {
  const more = differenceOf(events, change);
  if (more === undefined) return undefined;
  const all = [...events, more];
  const fault = faultOf(all);
  if (fault === undefined) return all;
  if (!isOne) return undefined;
  throw new RecordStoreError('too-large', fault);
};

const faultOf = (events: TriageEvents): string | undefined => {
  if (events.length > TRIAGE_EVENTS_MAX)
    return `the threat has ${events.length - 1} decisions and comments, and cannot have more than ${TRIAGE_EVENTS_MAX}`;
  const bytes = Buffer.byteLength(JSON.stringify(events));
  return bytes <= TRIAGE_BYTES_MAX
    ? undefined
    : `the decisions and comments of the threat would take ${bytes} bytes, and cannot take more than ${TRIAGE_BYTES_MAX}; leave a shorter comment, or none`;
};

/** What of `change` is to be kept. */
const differenceOf = (events: TriageEvents, change: TriageChange): TriageChange | undefined => {
  const {action, text, ...who} = change;
  const now = triageOf(events);
  const isSame = {
    acknowledge: now.acknowledged === true,
    unacknowledge: now.acknowledged !== true,
    escalate: now.escalated === true,
    deescalate: now.escalated !== true,
    comment: false,
  }[action];
  if (!isSame) return change;
  return text === undefined ? undefined : {...who, action: 'comment', text};
};

/** `requestor` as a field of the record. */
const requestorOf = <N extends string>(
  {requestor}: TriageChange,
  name: N,
): {readonly [name in N]?: string | undefined} =>
  (requestor === undefined ? {} : {[name]: requestor}) as {readonly [name in N]?: string};

export const triageOf = (events: TriageEvents): ThreatTriage => {
  if (events.length === 0) return {};
  const last = (on: TriageChange['action'], off: TriageChange['action']): TriageChange | undefined => {
    const found = events.findLast(({action}) => action === on || action === off);
    return found?.action === on ? found : undefined;
  };
  const acknowledged = last('acknowledge', 'unacknowledge');
  const escalated = last('escalate', 'deescalate');
  const comments = events.flatMap(event => {
    const {timeMs, user, text} = event;
    return text === undefined ? [] : [{time: formatTimestamp(timeMs), user, ...requestorOf(event, 'requestor'), text}];
  });
  return {
    ...(acknowledged === undefined
      ? {}
      : {
          acknowledged: true,
          acknowledged_by: acknowledged.user,
          ...requestorOf(acknowledged, 'acknowledge_requestor'),
          acknowledge_time: formatTimestamp(acknowledged.timeMs),
        }),
    ...(escalated === undefined
      ? {}
      : {
          escalated: true,
          escalated_by: escalated.user,
          ...requestorOf(escalated, 'escalate_requestor'),
          escalate_time: formatTimestamp(escalated.timeMs),
        }),
    ...(comments.length === 0 ? {} : {comments}),
  };
};
