// SPDX-License-Identifier: Apache-2.0
/** What people decided about a threat, oldest first. What was taken back is not kept by the server; the audit log has it. */
import type {ThreatTriage} from '@palisade/ids-wire';

export type HistoryEntry = {
  readonly what: 'acknowledged' | 'escalated' | 'commented';
  /** RFC 3339. */
  readonly time: string;
  readonly user: string;
  /** Who acted as that user. */
  readonly requestor: string | undefined;
  readonly text: string;
};

export function historyOf(triage: ThreatTriage): readonly HistoryEntry[] {
  const entries: HistoryEntry[] = (triage.comments ?? []).map(({time, user, requestor, text}) => ({
    ...{what: 'commented', time, user, requestor, text},
  }));
  if (triage.acknowledged === true)
    entries.push({
      ...{what: 'acknowledged', time: triage.acknowledge_time ?? '', user: triage.acknowledged_by ?? ''},
      ...{requestor: triage.acknowledge_requestor, text: ''},
    });
  if (triage.escalated === true)
    entries.push({
      ...{what: 'escalated', time: triage.escalate_time ?? '', user: triage.escalated_by ?? ''},
      ...{requestor: triage.escalate_requestor, text: ''},
    });
  return entries.sort((a, b) => Date.parse(a.time) - Date.parse(b.time));
}
