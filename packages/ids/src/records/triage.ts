// SPDX-License-Identifier: Apache-2.0
/** Decisions about a threat: a list of who did what when, and the fields of the record that follow from it. */
import {formatTimestamp, type ThreatTriage} from '@palisade/ids-wire';
import type {TriageChange} from './record-store.ts';

/** In order; never rewritten. */
export type TriageEvents = readonly TriageChange[];

/** Undefined: `change` makes nothing different. */
export const withChange = (events: TriageEvents, change: TriageChange): TriageEvents | undefined => {
  const now = triageOf(events);
  const isSame = {
    acknowledge: now.acknowledged === true,
    unacknowledge: now.acknowledged !== true,
    escalate: now.escalated === true,
    deescalate: now.escalated !== true,
    comment: false,
  }[change.action];
  return isSame ? undefined : [...events, change];
};

export const triageOf = (events: TriageEvents): ThreatTriage => {
  const last = (on: TriageChange['action'], off: TriageChange['action']): TriageChange | undefined => {
    const found = events.findLast(({action}) => action === on || action === off);
    return found?.action === on ? found : undefined;
  };
  const acknowledged = last('acknowledge', 'unacknowledge');
  const escalated = last('escalate', 'deescalate');
  const comments = events.flatMap(event =>
    event.action === 'comment' ? [{time: formatTimestamp(event.timeMs), user: event.user, text: event.text}] : [],
  );
  return {
    ...(acknowledged === undefined
      ? {}
      : {
          acknowledged: true,
          acknowledged_by: acknowledged.user,
          acknowledge_time: formatTimestamp(acknowledged.timeMs),
        }),
    ...(escalated === undefined
      ? {}
      : {escalated: true, escalated_by: escalated.user, escalate_time: formatTimestamp(escalated.timeMs)}),
    ...(comments.length === 0 ? {} : {comments}),
  };
};
