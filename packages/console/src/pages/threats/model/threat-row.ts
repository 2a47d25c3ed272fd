// SPDX-License-Identifier: Apache-2.0
/** A threat as the list shows it, and the filter term of each of its cells. */
import type {RecordOf} from '@palisade/client/browser';
import type {Term} from '../../../records/filter-edit.ts';
import {type RowField, shortEndpoint} from '../../../records/row-field.ts';
import {severityWord} from '../../../ui/base/badge.tsx';

export type Threat = RecordOf<'threats'>;

export type ThreatRow = {
  /** Full resource name: `projects/P/locations/L/endpoints/E/threats/ID`. */
  readonly name: string;
  readonly threat: Threat;
};

export const toRow = (threat: Threat): ThreatRow => ({name: `${threat.endpoint}/threats/${threat.id}`, threat});

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

const made = new WeakMap<ThreatRow, ReadonlyMap<FieldId, RowField>>();
/** In the order of the columns; values that are empty are left out. Each cell asks: made once for each row. */
export function fieldsOf(row: ThreatRow): ReadonlyMap<FieldId, RowField> {
  const fields = made.get(row) ?? makeFields(row);
  made.set(row, fields);
  return fields;
}

function makeFields({threat}: ThreatRow): ReadonlyMap<FieldId, RowField> {
  const state = stateOf(threat);
  const plain = (title: string, path: string, value: string, shown = value): RowField => ({
    title,
    shown,
    term: {path, value},
  });
  const all: readonly (readonly [FieldId, RowField])[] = [
    ['severity', plain('Severity', 'alert_severity', threat.alert_severity, severityWord(threat.alert_severity))],
    ['threat', plain('Threat', 'threat_id', threat.threat_id, threat.name)],
    ['source', plain('Source', 'source_ip_address', threat.source_ip_address)],
    ['destination', plain('Destination', 'destination_ip_address', threat.destination_ip_address)],
    ['destinationPort', plain('Destination port', 'destination_port', threat.destination_port)],
    ['application', plain('Application', 'application', threat.application)],
    ['protocol', plain('Protocol', 'ip_protocol', threat.ip_protocol)],
    ['count', plain('Count', 'repeat_count', threat.repeat_count)],
    ['state', {title: 'State', shown: STATE_WORD[state], term: STATE_TERM[state]}],
    ['endpoint', plain('Endpoint', 'endpoint', threat.endpoint, shortEndpoint(threat.endpoint))],
  ];
  return new Map(all.filter(([, {term}]) => term.value !== undefined && term.value !== ''));
}
