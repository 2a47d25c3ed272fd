// SPDX-License-Identifier: Apache-2.0
/** The fields of a record as the page shows them, and the filter term of each. */
import type {ThreatMessage} from '@palisade/ids-wire';
import {links} from '../../../links.ts';
import type {Term} from '../../../records/filter-edit.ts';

/** One value that can be copied and, with `term`, filtered by. */
export type FieldValue = {
  readonly text: string;
  readonly term?: Term;
  readonly isCode?: boolean;
  /** The page of what it names. */
  readonly page?: {readonly label: string; readonly to: string};
};
export type FieldLine = {readonly title: string; readonly values: readonly FieldValue[]};
export type FieldBlock = {readonly title: string; readonly lines: readonly FieldLine[]};

const DIRECTION_WORD: Readonly<Record<string, string>> = {
  'client-to-server': 'Client to server',
  'server-to-client': 'Server to client',
};

const eventField = ({evidence}: ThreatMessage, ...path: readonly string[]): string => {
  let value: unknown = evidence.event;
  for (const part of path) value = (value as Readonly<Record<string, unknown>> | undefined)?.[part];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};

const plain = (text: string | undefined): readonly FieldValue[] => (text === undefined || text === '' ? [] : [{text}]);
const term = (path: string, value: string | undefined, text = value): readonly FieldValue[] =>
  value === undefined || value === '' || text === undefined ? [] : [{text, term: {path, value}}];
const code = (path: string, value: string | undefined): readonly FieldValue[] =>
  term(path, value).map(each => ({...each, isCode: true}));
const port = (path: string, value: string): readonly FieldValue[] =>
  value === '0' ? [] : term(path, value, `port ${value}`);

const flowOf = (threat: ThreatMessage): readonly FieldLine[] => [
  {
    title: 'Source',
    values: [...code('source_ip_address', threat.source_ip_address), ...port('source_port', threat.source_port)],
  },
  {
    title: 'Destination',
    values: [
      ...code('destination_ip_address', threat.destination_ip_address),
      ...port('destination_port', threat.destination_port),
    ],
  },
  {title: 'Protocol', values: term('ip_protocol', threat.ip_protocol)},
  {title: 'Application', values: term('application', threat.application)},
  {
    title: 'Direction',
    values: term('direction', threat.direction, DIRECTION_WORD[threat.direction] ?? threat.direction),
  },
  {title: 'Flow ID', values: code('session_id', threat.session_id)},
  {title: 'Community ID', values: code('community_id', threat.community_id)},
];

const threatOf = (threat: ThreatMessage): readonly FieldLine[] => [
  {title: 'Rule ID', values: code('threat_id', threat.threat_id)},
  {title: 'Revision', values: plain(threat.rule_revision)},
  {title: 'Priority', values: plain(threat.rule_priority)},
  {title: 'Type', values: term('type', threat.type)},
  {title: 'Category', values: term('category', threat.category)},
  {title: 'Action', values: plain(eventField(threat, 'alert', 'action'))},
  {title: 'URI or file', values: code('uri_or_filename', threat.uri_or_filename)},
  {title: 'CVEs', values: (threat.cves ?? []).map(text => ({text}))},
  {
    title: 'MITRE ATT&CK',
    values: [...(threat.mitre_tactics ?? []), ...(threat.mitre_techniques ?? [])].map(({id, name}) => ({
      text: name === '' ? id : `${id} ${name}`,
    })),
  },
];

const placeOf = (threat: ThreatMessage): readonly FieldLine[] => [
  {
    title: 'Endpoint',
    values: code('endpoint', threat.endpoint).map(value => ({
      ...value,
      page: {label: 'Open the endpoint', to: links.idsEndpointOf(threat.endpoint)},
    })),
  },
  {title: 'Network', values: term('network', threat.network)},
  {title: 'Record ID', values: [{text: threat.id, isCode: true}]},
];

/** Without lines that have no value. */
export const blocksOf = (threat: ThreatMessage): readonly FieldBlock[] =>
  [
    {title: 'Flow', lines: flowOf(threat)},
    {title: 'Threat', lines: threatOf(threat)},
    {title: 'Sensor', lines: placeOf(threat)},
  ].map(({title, lines}) => ({title, lines: lines.filter(({values}) => values.length > 0)}));
