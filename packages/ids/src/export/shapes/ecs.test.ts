// SPDX-License-Identifier: Apache-2.0
/** Records in the Elastic Common Schema: what they say, and that every field has a name and a type that the schema has. */
import type {Severity} from '@palisade/ids-wire';
import {expect, test} from 'vitest';
import {ECS_FIELDS} from '../../testing/ecs-fields.ts';
import {threatRecord} from '../../testing/threat-record.ts';
import type {ExportItem} from '../exporter.ts';
import {ecsShape} from './ecs.ts';
import {palisadeShape} from './palisade.ts';
import {shapeOf} from './shape.ts';

const ENDPOINT = 'projects/p/locations/local/endpoints/web';
const OBSERVER = {hostname: 'ids-1', version: '0.1.0', pid: 7};

const threat = (given: Partial<Parameters<typeof threatRecord>[0]> = {}, event?: object): ExportItem => ({
  kind: 'threats',
  endpoint: ENDPOINT,
  id: '644a1b2c3d4e5-3f2a9c11-00004932',
  record: threatRecord({
    threat_id: '1:2019401',
    name: 'ET WEB SQL injection',
    alert_severity: 'CRITICAL',
    alert_time: '2026-01-01T00:00:01Z',
    source_port: '40000',
    endpoint: ENDPOINT,
    ...given,
  }),
  event: event === undefined ? undefined : JSON.stringify(event),
});

const TRAFFIC: ExportItem = {
  kind: 'traffic',
  endpoint: ENDPOINT,
  id: '644a1b2c3d4e5-3f2a9c11-00005000',
  event: undefined,
  record: {
    start_time: '2026-01-01T00:00:00Z',
    event_time: '2026-01-01T00:00:00.250000Z',
    elapsed_time: '3',
    network: 'net',
    source_ip_address: '2001:db8::1',
    destination_ip_address: '2001:db8::2',
    source_port: '0',
    destination_port: '0',
    ip_protocol: 'icmpv6',
    application: 'icmp',
    session_id: '9',
    repeat_count: '1',
    total_bytes: '412',
    total_packets: '6',
    endpoint: ENDPOINT,
  },
};

const HTTP = {
  http: {
    hostname: 'shop.example',
    url: '/items?id=1%27+OR+1',
    http_user_agent: 'curl/8',
    http_method: 'GET',
    http_refer: 'http://a.example/',
    protocol: 'HTTP/1.1',
    status: 200,
    length: 12,
    http_content_type: 'text/html',
    http_port: 8080,
  },
  payload: 'U0VDUkVU',
  packet: 'U0VDUkVU',
  files: [{filename: '/a/evil.exe', size: 5, sha256: 'ab', md5: 'cd', sha1: 'ef', mimetype: 'application/x-dosexec'}],
};
const DNS = {
  dns: {
    query: [{type: 'query', id: 7, rrname: 'c2.example', rrtype: 'A'}],
    answer: {
      id: 7,
      rcode: 'NOERROR',
      answers: [{rrname: 'c2.example', rrtype: 'A', ttl: 60, rdata: '192.0.2.66'}],
    },
  },
};
const TLS = {
  tls: {
    version: 'TLS 1.2',
    sni: 'tls.example',
    subject: 'CN=tls.example',
    issuerdn: 'CN=ca',
    fingerprint: 'ab:cd:ef',
    notbefore: '2026-01-01T00:00:00',
    notafter: '2027-01-01T00:00:00',
    ja3: {hash: 'aa', string: '771'},
    ja3s: {hash: 'bb', string: '771'},
  },
};
const EMAIL = {email: {from: 'a@a.example', to: ['b@b.example'], subject: 's', message_id: '<1@a>'}};

const MITRE = {
  mitre_tactics: [{id: 'TA0001', name: 'Initial Access'}],
  mitre_techniques: [
    {id: 'T1190', name: 'Exploit Public-Facing Application'},
    {id: 'T1059.001', name: 'PowerShell'},
  ],
  cves: ['CVE-2014-6271'],
  references: ['https://a.example/1', 'https://a.example/2'],
  community_id: '1:abc=',
  details: 'SQL injection in a query',
  uri_or_filename: '/items?id=1',
};

test('44-5 a threat in ECS is an alert with rule, attack, weakness, both sides and the observer', () => {
  expect(ecsShape(threat(MITRE), OBSERVER)).toEqual({
    '@timestamp': '2026-01-01T00:00:01.000000Z',
    ecs: {version: '8.17.0'},
    message: 'SQL injection in a query',
    log: {level: 'critical'},
    event: {
      id: `${ENDPOINT}/threats/644a1b2c3d4e5-3f2a9c11-00004932`,
      kind: 'alert',
      category: ['intrusion_detection', 'network'],
      type: ['info'],
      severity: 99,
      module: 'palisade',
      dataset: 'palisade.threats',
      provider: 'suricata',
      reference: 'https://a.example/1',
    },
    rule: {
      id: '1:2019401',
      name: 'ET WEB SQL injection',
      category: 'code-execution',
      version: '1',
      reference: 'https://a.example/1',
    },
    threat: {
      framework: 'MITRE ATT&CK',
      tactic: {id: ['TA0001'], name: ['Initial Access'], reference: ['https://attack.mitre.org/tactics/TA0001/']},
      technique: {
        id: ['T1190', 'T1059'],
        name: ['Exploit Public-Facing Application'],
        reference: ['https://attack.mitre.org/techniques/T1190/', 'https://attack.mitre.org/techniques/T1059/'],
        subtechnique: {
          id: ['T1059.001'],
          name: ['PowerShell'],
          reference: ['https://attack.mitre.org/techniques/T1059/001/'],
        },
      },
    },
    vulnerability: {id: 'CVE-2014-6271', enumeration: 'CVE'},
    url: {original: '/items?id=1'},
    source: {address: '192.0.2.1', ip: '192.0.2.1', port: 40_000},
    destination: {address: '192.0.2.2', ip: '192.0.2.2', port: 80},
    network: {name: 'net', transport: 'tcp', type: 'ipv4', protocol: 'http', community_id: '1:abc='},
    related: {ip: ['192.0.2.1', '192.0.2.2']},
    observer: {
      vendor: 'Palisade',
      product: 'Palisade IDS',
      type: 'ids',
      name: ENDPOINT,
      hostname: 'ids-1',
      version: '0.1.0',
    },
    palisade: {
      endpoint: ENDPOINT,
      severity: 'CRITICAL',
      priority: 1,
      type: 'vulnerability',
      direction: 'client-to-server',
      session_id: '7',
      repeat_count: 1,
      references: ['https://a.example/1', 'https://a.example/2'],
    },
  });
});

test.each([
  {
    name: 'HTTP',
    event: HTTP,
    expected: {
      url: {original: '/items?id=1%27+OR+1', domain: 'shop.example', port: 8080, path: '/items', query: 'id=1%27+OR+1'},
      http: {
        version: '1.1',
        request: {method: 'GET', referrer: 'http://a.example/'},
        response: {status_code: 200, mime_type: 'text/html', body: {bytes: 12}},
      },
      user_agent: {original: 'curl/8'},
      file: {
        name: 'evil.exe',
        path: '/a/evil.exe',
        size: 5,
        mime_type: 'application/x-dosexec',
        hash: {md5: 'cd', sha1: 'ef', sha256: 'ab'},
      },
      related: {hosts: ['shop.example'], hash: ['cd', 'ef', 'ab']},
    },
  },
  {
    name: 'DNS',
    event: DNS,
    expected: {
      dns: {
        type: 'answer',
        id: '7',
        response_code: 'NOERROR',
        question: {name: 'c2.example', type: 'A'},
        answers: [{name: 'c2.example', type: 'A', ttl: 60, data: '192.0.2.66'}],
        resolved_ip: ['192.0.2.66'],
      },
      related: {hosts: ['c2.example']},
    },
  },
  {
    name: 'TLS',
    event: TLS,
    expected: {
      tls: {
        version: '1.2',
        version_protocol: 'tls',
        client: {server_name: 'tls.example', ja3: 'aa'},
        server: {
          ja3s: 'bb',
          subject: 'CN=tls.example',
          issuer: 'CN=ca',
          hash: {sha1: 'ABCDEF'},
          not_before: '2026-01-01T00:00:00Z',
          not_after: '2027-01-01T00:00:00Z',
        },
      },
    },
  },
  {
    name: 'mail',
    event: EMAIL,
    expected: {
      email: {
        from: {address: ['a@a.example']},
        to: {address: ['b@b.example']},
        subject: 's',
        message_id: '<1@a>',
      },
    },
  },
])('44-5 $name fields of the event have their places in ECS', ({event, expected}) => {
  expect(ecsShape(threat({}, event), OBSERVER)).toMatchObject(expected);
});

test('44-5 a traffic record in ECS is a connection with its times, bytes and packets', () => {
  expect(ecsShape(TRAFFIC, OBSERVER)).toMatchObject({
    event: {
      kind: 'event',
      category: ['network'],
      type: ['connection', 'end'],
      start: '2026-01-01T00:00:00.250000Z',
      end: '2026-01-01T00:00:03.250Z',
      duration: 3_000_000_000,
      dataset: 'palisade.traffic',
    },
    network: {bytes: 412, packets: 6, type: 'ipv6', transport: 'icmpv6'},
    source: {ip: '2001:db8::1'},
  });
  expect(ecsShape(TRAFFIC, OBSERVER)['source']).not.toHaveProperty('port');
});

test('44-5 packets and payloads of a threat are not in ECS, and a broken event harms nothing', () => {
  expect(JSON.stringify(ecsShape(threat({}, HTTP), OBSERVER))).not.toContain('U0VDUkVU');
  expect(ecsShape({...threat(), event: '{"http":'}, OBSERVER)).toEqual(ecsShape(threat(), OBSERVER));
});

test('44-5 our shape is the record of the API with its id and its kind', () => {
  const item = threat();
  expect(palisadeShape(item)).toEqual({kind: 'threats', id: item.id, ...item.record});
  expect(shapeOf('palisade', OBSERVER)(item)).toEqual(palisadeShape(item));
  expect(shapeOf('ecs', OBSERVER)(item)).toEqual(ecsShape(item, OBSERVER));
});

const leaves = (value: unknown, path: string): readonly (readonly [string, unknown])[] => {
  if (path === 'palisade') return [];
  if (Array.isArray(value) && typeof value[0] === 'object') return value.flatMap(item => leaves(item, path));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[path, value]];
  return Object.entries(value).flatMap(([name, each]) => leaves(each, path === '' ? name : `${path}.${name}`));
};

const FITS: Readonly<Record<string, (value: unknown) => boolean>> = {
  keyword: value => typeof value === 'string',
  wildcard: value => typeof value === 'string',
  match_only_text: value => typeof value === 'string',
  date: value => !Number.isNaN(Date.parse(String(value))),
  ip: value => /^[0-9a-f.:]+$/.test(String(value)),
  long: value => Number.isSafeInteger(value),
};

test('44-5 every field of ECS has a name, a type and a multiplicity that the schema has', () => {
  const severities: readonly Severity[] = ['INFORMATIONAL', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'];
  const items = [
    ...[HTTP, DNS, TLS, EMAIL].map(event => threat(MITRE, event)),
    ...severities.map(severity => threat({alert_severity: severity})),
    TRAFFIC,
  ];
  const used = new Set<string>();
  for (const item of items)
    for (const [path, value] of leaves(JSON.parse(JSON.stringify(ecsShape(item, OBSERVER))), '')) {
      const [type = '', list] = (ECS_FIELDS[path] ?? '').split('[');
      const label = `${path} = ${JSON.stringify(value)}`;
      expect(Array.isArray(value), label).toBe(list !== undefined);
      for (const each of Array.isArray(value) ? value : [value]) expect(FITS[type]?.(each), label).toBe(true);
      used.add(path);
    }
  expect([...used].sort()).toEqual(Object.keys(ECS_FIELDS).sort());
});
