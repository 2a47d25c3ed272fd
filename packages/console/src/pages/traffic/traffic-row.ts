// SPDX-License-Identifier: Apache-2.0
/** A flow as the list shows it, and the filter term of each of its cells. */

import type {RecordOf} from '@palisade/client/browser';
import {fieldsOfRow, rowField, shortEndpoint} from '../../records/row-field.ts';
import {PRESETS, type RangeSearch} from '../../records/time-range.ts';
import {flag, oneOf, type SearchShape, text} from '../../routing/search.ts';
import {endpointsField} from '../../scope/scope.ts';
import {countText} from '../../ui/data/number-text.ts';

export type Flow = RecordOf<'traffic'>;
export type FlowRow = {
  /** Full resource name: `projects/P/locations/L/endpoints/E/traffic/ID`. */
  readonly name: string;
  readonly flow: Flow;
};
export const toRow = (flow: Flow): FlowRow => ({name: `${flow.endpoint}/traffic/${flow.id}`, flow});

export const GROUPS = ['', 'source', 'destination', 'protocol', 'application', 'endpoint'] as const;
export type Grouping = (typeof GROUPS)[number];
export type Group = Exclude<Grouping, ''>;

export type TrafficSearch = RangeSearch & {
  /** See endpointsField. */
  readonly in: string;
  /** AIP-160. */
  readonly q: string;
  readonly group: Grouping;
  /** Of groups: `-bytes`. */
  readonly sort: string;
  /** Rows that come are held back. */
  readonly paused: boolean;
  /** The flow in the side panel, see `flowKey`. */
  readonly flow: string;
};
export const TRAFFIC_SEARCH: SearchShape<TrafficSearch> = {
  in: endpointsField(),
  q: text(),
  range: oneOf(PRESETS, '1h'),
  from: text(),
  to: text(),
  group: oneOf(GROUPS, ''),
  sort: text(),
  paused: flag(),
  flow: text(),
};

export const GROUP_WORD: Readonly<Record<Group, string>> = {
  source: 'Source',
  destination: 'Destination',
  protocol: 'Protocol',
  application: 'Application',
  endpoint: 'Endpoint',
};
export const GROUP_PATH: Readonly<Record<Group, string>> = {
  source: 'source_ip_address',
  destination: 'destination_ip_address',
  protocol: 'ip_protocol',
  application: 'application',
  endpoint: 'endpoint',
};

export type FieldId =
  | 'source'
  | 'sourcePort'
  | 'destination'
  | 'destinationPort'
  | 'application'
  | 'protocol'
  | 'endpoint';

/** In the order of the columns. */
export const fieldsOf = fieldsOfRow<FlowRow, FieldId>(({flow}) => [
  ['source', rowField('Source', 'source_ip_address', flow.source_ip_address)],
  ['sourcePort', rowField('Source port', 'source_port', flow.source_port)],
  ['destination', rowField('Destination', 'destination_ip_address', flow.destination_ip_address)],
  ['destinationPort', rowField('Destination port', 'destination_port', flow.destination_port)],
  ['application', rowField('Application', 'application', flow.application)],
  ['protocol', rowField('Protocol', 'ip_protocol', flow.ip_protocol)],
  ['endpoint', rowField('Endpoint', 'endpoint', flow.endpoint, shortEndpoint(flow.endpoint))],
]);

/** What a list without room for more has below an address: `port 53`, `port 53 · udp`, `icmp`. */
export const belowAddress = (port: string, protocol = ''): string =>
  [port === '' || port === '0' ? '' : `port ${port}`, protocol].filter(text => text !== '').join(' · ');

/** `ENDPOINT@SESSION@TIME`: records cannot be asked for by their id, but by these. */
export const flowKey = ({endpoint, session_id, event_time}: Flow): string => `${endpoint}@${session_id}@${event_time}`;
export function splitFlowKey(key: string): {endpoint: string; session: string; time: string} | undefined {
  const [, endpoint, session, time] =
    /^(projects\/[^/@]+\/locations\/[^/@]+\/endpoints\/[^/@]+)@(\d+)@([\dTZ.:-]+)$/.exec(key) ?? [];
  if (endpoint === undefined || session === undefined || time === undefined) return undefined;
  return Number.isNaN(Date.parse(time)) ? undefined : {endpoint, session, time};
}

export const flowsText = (count: number): string => countText(count, 'flow');
