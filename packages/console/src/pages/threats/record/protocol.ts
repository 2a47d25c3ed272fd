// SPDX-License-Identifier: Apache-2.0
/** What Suricata read of the protocols of a threat, as names and values. The fields are those of EVE. */
import type {ThreatEvidence} from '@palisade/ids-wire';
import type {NamedText} from './bytes/match.ts';

export type ProtocolBlock = {
  readonly id: string;
  readonly title: string;
  /** The main thing in one line: `GET shop.example/ → 200`. '' without one. */
  readonly summary: string;
  readonly rows: readonly NamedText[];
  /** Rows that are not shown; the event has them. */
  readonly more: number;
};

type Fields = Readonly<Record<string, unknown>>;

/** Of one protocol. */
const ROWS_MAX = 120;
const TITLES: readonly (readonly [id: keyof ThreatEvidence, title: string])[] = [
  ['http', 'HTTP'],
  ['dns', 'DNS'],
  ['tls', 'TLS'],
  ['smtp', 'SMTP'],
  ['email', 'Email'],
  ['files', 'Files'],
  ['flow', 'Flow'],
];
/** Parts of the event that are shown elsewhere, or say nothing about a protocol. */
const KNOWN = new Set([
  ...[
    'alert',
    'packet',
    'payload',
    'packet_info',
    'metadata',
    'tunnel',
    'verdict',
    'palisade_left_out',
    'fileinfo',
    'vlan',
  ],
  ...TITLES.map(([id]) => String(id)),
]);

/** `{a: {b: 1}, c: ['x', 'y']}` → a.b = 1, c.0 = x, c.1 = y. HTTP headers `{name, value}` have their names. */
function flatten(value: unknown, path: string): readonly NamedText[] {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object') return [{path, text: String(value)}];
  const {name, value: given} = value as Fields;
  if (typeof name === 'string' && typeof given === 'string' && Object.keys(value).length === 2)
    return [{path: `${path.replace(/\.\d+$/, '')}.${name}`, text: given}];
  const join = (key: string): string => (path === '' ? key : `${path}.${key}`);
  return Object.entries(value).flatMap(([key, each]) => flatten(each, join(key)));
}

const text = (fields: Fields | undefined, ...keys: readonly string[]): string => {
  for (const key of keys) {
    const value = fields?.[key];
    if (typeof value === 'string' || typeof value === 'number') return String(value);
  }
  return '';
};

function dnsSummary(fields: Fields): string {
  const first = (list: unknown): Fields =>
    Array.isArray(list) ? ((list[0] ?? {}) as Fields) : ((list ?? {}) as Fields);
  const query = fields['queries'] ?? fields['query'];
  const asked = query === undefined ? fields : first(query);
  return [text(asked, 'rrtype'), text(asked, 'rrname'), text(fields, 'rcode')].filter(part => part !== '').join(' ');
}

const SUMMARIES: Readonly<Record<string, (fields: Fields) => string>> = {
  http: fields => {
    const url = text(fields, 'url');
    const where = url.startsWith('/') ? `${text(fields, 'hostname')}${url}` : url;
    const status = text(fields, 'status');
    return [text(fields, 'http_method'), where, status === '' ? '' : `→ ${status}`]
      .filter(part => part !== '')
      .join(' ');
  },
  dns: dnsSummary,
  tls: fields => [text(fields, 'version'), text(fields, 'sni', 'subject')].filter(part => part !== '').join(' '),
  email: fields => [text(fields, 'from'), text(fields, 'to')].filter(part => part !== '').join(' → '),
};

function blockOf(id: string, title: string, value: unknown): readonly ProtocolBlock[] {
  const rows = flatten(value, '');
  if (rows.length === 0) return [];
  const summary = typeof value === 'object' && value !== null ? (SUMMARIES[id]?.(value as Fields) ?? '') : '';
  return [{id, title, summary, rows: rows.slice(0, ROWS_MAX), more: Math.max(0, rows.length - ROWS_MAX)}];
}

/** The known protocols first, then what else the event has as an object, such as `ssh` or `smb`. */
export const protocolsOf = (evidence: ThreatEvidence): readonly ProtocolBlock[] => [
  ...TITLES.filter(([id]) => id !== 'flow').flatMap(([id, title]) => blockOf(String(id), title, evidence[id])),
  ...Object.entries(evidence.event ?? {}).flatMap(([id, value]) =>
    KNOWN.has(id) || typeof value !== 'object' ? [] : blockOf(id, id.toUpperCase(), value),
  ),
  ...blockOf('flow', 'Flow counters', evidence.flow),
];

/** All texts of the protocols with their full paths, to look for contents of the rule. */
export const textsOf = (blocks: readonly ProtocolBlock[]): readonly NamedText[] =>
  blocks.flatMap(({id, rows}) => rows.map(row => ({path: `${id}.${row.path}`, text: row.text})));
