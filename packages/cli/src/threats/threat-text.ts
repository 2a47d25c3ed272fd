// SPDX-License-Identifier: Apache-2.0
/** A threat with its evidence and its rule as text for people. */
import type {MitreReference, ThreatComment, ThreatEvidence, ThreatMessage, ThreatRule} from '@palisade/ids-wire';
import {terminalText} from '../command-line/terminal-text.ts';
import {hexDump} from './hex-dump.ts';

type Fields = Readonly<Record<string, unknown>>;

const WIDTH = 12;
/** Of what a packet can make as long as it likes. */
const TEXT_MAX = 1_000;

const short = (text: string): string => (text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text);
/** A line feed in a value makes no line of its own. */
const row = (name: string, text: string): string[] =>
  text === '' ? [] : [`${name.padEnd(WIDTH)} ${short(text.replaceAll('\n', '\\n'))}`];
const rows = (name: string, texts: readonly string[]): string[] =>
  texts.flatMap((text, at) => row(at === 0 ? name : '', text));
const withName = ({id, name}: MitreReference): string => (name === '' ? id : `${id} ${name}`);

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
const objectOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const host = (ip: string, port: string): string =>
  port === '' || port === '0' ? ip : ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;

const httpRows = (http: Fields): string[] => {
  const {http_method: method, hostname, url, protocol, status} = http;
  const request = [textOf(method), textOf(url), textOf(protocol)].filter(text => text !== '').join(' ');
  return [
    ...row('request', request),
    ...row('host', textOf(hostname)),
    ...row('user agent', textOf(http['http_user_agent'])),
    ...row('referer', textOf(http['http_refer'])),
    ...row('status', textOf(status)),
    ...row('content', textOf(http['http_content_type'])),
  ];
};

/** EVE has one shape for queries, and another for answers. */
const dnsRows = (dns: Fields): string[] => {
  const queries = [...listOf(dns['query']), ...listOf(dns['queries'])].map(objectOf);
  const asked = queries.length > 0 ? queries : textOf(dns['rrname']) === '' ? [] : [dns];
  const answers = listOf(dns['answers']).map(objectOf);
  return [
    ...rows(
      'DNS query',
      asked.map(query => `${textOf(query['rrtype'])} ${textOf(query['rrname'])}`.trim()),
    ),
    ...rows(
      'DNS answer',
      answers.map(answer => `${textOf(answer['rrtype'])} ${textOf(answer['rdata'])}`.trim()),
    ),
    ...row('DNS code', textOf(dns['rcode'])),
  ];
};

const hashOf = (value: unknown): string => textOf(value) || textOf(objectOf(value)['hash']);

const tlsRows = (tls: Fields): string[] => [
  ...row('TLS SNI', textOf(tls['sni'])),
  ...row('TLS version', textOf(tls['version'])),
  ...row('JA3', hashOf(tls['ja3'])),
  ...row('JA3S', hashOf(tls['ja3s'])),
  ...row('JA4', hashOf(tls['ja4'])),
  ...row('TLS subject', textOf(tls['subject'])),
  ...row('TLS issuer', textOf(tls['issuerdn'])),
];

const mailRows = (smtp: Fields, email: Fields): string[] => [
  ...row('mail from', textOf(smtp['mail_from']) || textOf(email['from'])),
  ...rows('mail to', listOf(smtp['rcpt_to'] ?? email['to']).map(textOf)),
  ...row('subject', textOf(email['subject'])),
  ...rows('attachment', listOf(email['attachment']).map(textOf)),
];

const fileRows = (files: readonly Fields[]): string[] =>
  rows(
    'file',
    files.map(file => {
      const hashes = ['md5', 'sha1', 'sha256'].flatMap(name =>
        textOf(file[name]) === '' ? [] : `${name} ${textOf(file[name])}`,
      );
      return [textOf(file['filename']), `${textOf(file['size'])} bytes`, ...hashes].join(', ');
    }),
  );

const flowRows = (flow: Fields): string[] => {
  const {pkts_toserver: toServer, pkts_toclient: toClient, bytes_toserver: sent, bytes_toclient: received} = flow;
  if (textOf(toServer) === '') return [];
  const counts = `${textOf(toServer)} packets (${textOf(sent)} bytes) to the server, ${textOf(toClient)} (${textOf(received)}) to the client`;
  return row('flow', `${counts}, up to the alert`);
};

const evidenceRows = (evidence: ThreatEvidence): string[] => {
  const missing = evidence.absent ?? evidence.withheld;
  if (missing !== undefined)
    return row('evidence', `${evidence.absent === undefined ? 'withheld' : 'not kept'}: ${missing}`);
  const {http = {}, dns = {}, tls = {}, smtp = {}, email = {}, files = [], flow = {}, payload, packet} = evidence;
  const bytes = payload === undefined ? undefined : Buffer.from(payload.data, 'base64');
  return [
    ...httpRows(http),
    ...dnsRows(dns),
    ...tlsRows(tls),
    ...mailRows(smtp, email),
    ...fileRows(files),
    ...flowRows(flow),
    ...row('packet', packet === undefined ? '' : `${packet.bytes} bytes`),
    ...row('left out', (evidence.left_out ?? []).join(', ')),
    ...row(
      'payload',
      payload === undefined ? '' : `${payload.bytes} bytes${payload.is_stream ? ' of the session' : ''}`,
    ),
    ...(bytes === undefined ? [] : hexDump(bytes).map(line => `  ${line}`)),
  ];
};

const ruleRows = (rule: ThreatRule): string[] =>
  'absent' in rule
    ? row('rule', rule.absent)
    : [
        ...row(
          'rule',
          `revision ${rule.revision} in rule set ${rule.rule_set}${rule.state === 'ACTIVE' ? '' : `, ${rule.state}`}`,
        ),
        ...row('', rule.changed ?? ''),
        `  ${rule.text.replaceAll('\n', ' ')}`,
      ];

const userText = (user: string | undefined, requestor: string | undefined): string =>
  `${user ?? ''}${requestor === undefined ? '' : ` (impersonated by ${requestor})`}`;

const triageRows = (threat: ThreatMessage): string[] => {
  const by = (user: string, time: string | undefined): string => `by ${user} at ${time ?? ''}`;
  const comment = ({time, user, requestor, text}: ThreatComment): string =>
    `${time} ${userText(user, requestor)}: ${text}`;
  const acknowledgedBy = userText(threat.acknowledged_by, threat.acknowledge_requestor);
  const escalatedBy = userText(threat.escalated_by, threat.escalate_requestor);
  return [
    ...row('acknowledged', threat.acknowledged ? by(acknowledgedBy, threat.acknowledge_time) : ''),
    ...row('escalated', threat.escalated ? by(escalatedBy, threat.escalate_time) : ''),
    ...rows('comment', (threat.comments ?? []).map(comment)),
  ];
};

export const threatText = (threat: ThreatMessage): string => {
  const source = host(threat.source_ip_address, threat.source_port);
  const destination = host(threat.destination_ip_address, threat.destination_port);
  const lines = [
    `${threat.threat_id}  ${threat.name.replaceAll('\n', ' ')}`,
    ...row('id', threat.id),
    ...row('severity', `${threat.alert_severity} (priority ${threat.rule_priority})`),
    ...row('time', threat.event_time),
    ...row('seen', threat.repeat_count === '1' ? 'once' : `${threat.repeat_count} times`),
    ...row('endpoint', threat.endpoint),
    ...row('connection', `${threat.ip_protocol} ${source} > ${destination}, ${threat.direction}`),
    ...row('application', threat.application),
    ...row('session', threat.session_id),
    ...row('community', threat.community_id ?? ''),
    ...row('category', `${threat.category}, type ${threat.type}`),
    ...rows('tactic', (threat.mitre_tactics ?? []).map(withName)),
    ...rows('technique', (threat.mitre_techniques ?? []).map(withName)),
    ...rows('CVE', threat.cves ?? []),
    ...rows('reference', threat.references ?? []),
    ...triageRows(threat),
    ...evidenceRows(threat.evidence),
    ...ruleRows(threat.rule),
  ];
  return `${terminalText(lines.join('\n'))}\n`;
};
