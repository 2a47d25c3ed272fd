// SPDX-License-Identifier: Apache-2.0
/** A threat as the list shows it, and the filter term of each of its cells. */
import type {RecordOf} from '@palisade/client/browser';
import type {Term} from '../../../records/filter-edit.ts';
import {fieldsOfRow, rowField, shortEndpoint} from '../../../records/row-field.ts';
import {severityWord} from '../../../ui/base/badge.tsx';

export type Threat = RecordOf<'threats'>;

export type ThreatRow = {
  /** Full resource name: `projects/P/locations/L/endpoints/E/threats/ID`. */
  readonly name: string;
  readonly threat: Threat;
};

export const toRow = (threat: Threat): ThreatRow => ({name: `${threat.endpoint}/threats/${threat.id}`, threat});

/** `10.0.0.1 → 10.0.0.2`. */
export const flowText = ({threat}: ThreatRow): string =>
  `${threat.source_ip_address} → ${threat.destination_ip_address}`;

export type ThreatState = 'open' | 'acknowledged' | 'escalated';
/** Escalated takes precedence: it needs attention. */
export const stateOf = ({acknowledged, escalated}: Threat): ThreatState =>
  escalated === true ? 'escalated' : acknowledged === true ? 'acknowledged' : 'open';
export const STATE_WORD: Readonly<Record<ThreatState, string>> = {
  open: 'Open',
  acknowledged: 'Acknowledged',
  escalated: 'Escalated',
};

const STATE_TERM: Readonly<Record<ThreatState, Term>> = {
  open: {path: 'acknowledged', value: 'false'},
  acknowledged: {path: 'acknowledged', value: 'true'},
  escalated: {path: 'escalated', value: 'true'},
};

export type FieldId =
  | 'severity'
  | 'threat'
  | 'source'
  | 'destination'
  | 'destinationPort'
  | 'application'
  | 'protocol'
  | 'count'
  | 'state'
  | 'endpoint';

/** In the order of the columns. */
export const fieldsOf = fieldsOfRow<ThreatRow, FieldId>(({threat}) => [
  ['severity', rowField('Severity', 'alert_severity', threat.alert_severity, severityWord(threat.alert_severity))],
  ['threat', rowField('Threat', 'threat_id', threat.threat_id, threat.name)],
  ['source', rowField('Source', 'source_ip_address', threat.source_ip_address)],
  ['destination', rowField('Destination', 'destination_ip_address', threat.destination_ip_address)],
  ['destinationPort', rowField('Destination port', 'destination_port', threat.destination_port)],
  ['application', rowField('Application', 'application', threat.application)],
  ['protocol', rowField('Protocol', 'ip_protocol', threat.ip_protocol)],
  ['count', rowField('Count', 'repeat_count', threat.repeat_count)],
  ['state', {title: 'State', shown: STATE_WORD[stateOf(threat)], term: STATE_TERM[stateOf(threat)]}],
  ['endpoint', rowField('Endpoint', 'endpoint', threat.endpoint, shortEndpoint(threat.endpoint))],
]);
