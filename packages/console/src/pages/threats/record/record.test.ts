// SPDX-License-Identifier: Apache-2.0
import {IdsError, type RecordOf} from '@palisade/client/browser';
import {compileFilter, THREAT_LIST, type ThreatMessage, TRAFFIC_LIST} from '@palisade/ids-wire';
import {expect, test} from 'vitest';
import {exclude, include} from '../../../records/filter-edit.ts';
import {excludingFilter, hasException, hasThreat, previewText, sharesOf, withException} from './exception/exception.ts';
import {blocksOf} from './fields.ts';
import {historyOf} from './history.ts';
import {protocolsOf, textsOf} from './protocol.ts';
import {isNoThreat} from './record-name.ts';
import {offsetText, relatedQuery, timelineOf} from './related/timeline.ts';

const THREAT = {
  ...{id: 'i', threat_id: '1:9000206', name: '<img src=x>', alert_severity: 'HIGH', type: 'exploit', category: 'c'},
  ...{
    alert_time: '2026-01-01T00:00:00Z',
    event_time: '2026-01-01T00:00:00.000500Z',
    network: 'projects/p/global/networks/n',
  },
  ...{
    source_ip_address: '10.0.0.1',
    destination_ip_address: '2001:db8::1',
    source_port: '50000',
    destination_port: '0',
  },
  ...{ip_protocol: 'tcp', application: 'http', direction: 'client-to-server', session_id: '7', repeat_count: '2'},
  ...{uri_or_filename: '/a?b="c d"', cves: ['CVE-2026-1000'], details: '', rule_revision: '3', rule_priority: '1'},
  ...{endpoint: 'projects/p/locations/l/endpoints/e', community_id: '1:abc='},
  evidence: {
    http: {http_method: 'GET', hostname: 'h', url: '/x', status: 404, request_headers: [{name: 'Host', value: 'h'}]},
    dns: {queries: [{rrname: 'a.example', rrtype: 'A'}], rcode: 'NXDOMAIN'},
    flow: {pkts_toserver: 4},
    event: {alert: {action: 'allowed'}, http: {}, ssh: {client: {software_version: 'x'}}, proto: 'TCP'},
  },
  rule: {absent: 'gone'},
} as unknown as ThreatMessage;

test('49-3 each value that can be filtered by makes a filter that finds its record', () => {
  const lines = blocksOf(THREAT).flatMap(block => block.lines);
  const terms = lines.flatMap(({values}) => values.flatMap(({term}) => term ?? []));
  expect(terms.length).toBeGreaterThan(12);
  for (const term of terms) {
    expect(compileFilter(include('', term), THREAT_LIST)(THREAT), term.path).toBe(true);
    expect(compileFilter(exclude('', term), THREAT_LIST)(THREAT), term.path).toBe(false);
  }
  const texts = new Map(lines.map(({title, values}) => [title, values.map(({text}) => text)]));
  expect(texts.get('Source')).toEqual(['10.0.0.1', 'port 50000']);
  expect(texts.get('Destination')).toEqual(['2001:db8::1']); // no port 0
  expect(texts.get('Action')).toEqual(['allowed']);
  expect(texts.has('MITRE ATT&CK')).toBe(false);
});

test('49-3 protocols have a line of summary, and all of their fields', () => {
  const blocks = protocolsOf(THREAT.evidence);
  expect(blocks.map(({title, summary}) => [title, summary])).toEqual([
    ['HTTP', 'GET h/x → 404'],
    ['DNS', 'A a.example NXDOMAIN'],
    ['SSH', ''],
    ['Flow counters', ''],
  ]);
  expect(textsOf(blocks)).toContainEqual({path: 'http.request_headers.Host', text: 'h'});
  expect(textsOf(blocks)).toContainEqual({path: 'ssh.client.software_version', text: 'x'});
});

test('49-3 the history has decisions and comments in the order of time, with the user behind another', () => {
  const entries = historyOf({
    ...{acknowledged: true, acknowledged_by: 'bob', acknowledge_time: '2026-01-02T00:00:00Z'},
    comments: [
      {time: '2026-01-01T00:00:00Z', user: 'alice', text: '<b>'},
      {time: '2026-01-03T00:00:00Z', user: 'alice', requestor: 'root', text: 'x'},
    ],
  });
  expect(entries.map(({what, user, requestor}) => [what, user, requestor])).toEqual([
    ['commented', 'alice', undefined],
    ['acknowledged', 'bob', undefined],
    ['commented', 'alice', 'root'],
  ]);
});

test('49-3 related records are those of the flow and of the community id, within an hour, each once', () => {
  const query = relatedQuery(THREAT);
  expect(query).toMatchObject({
    scope: 'projects/p/locations/-/endpoints/-',
    since: expect.stringMatching(/^2025-12-31T23:00:00/),
    until: expect.stringMatching(/^2026-01-01T01:00:00/),
  });
  expect(compileFilter(query.filter, THREAT_LIST)(THREAT)).toBe(true);
  expect(() => compileFilter(query.filter, TRAFFIC_LIST)).not.toThrow();
  const alone = relatedQuery({...THREAT, community_id: undefined});
  expect(alone).toMatchObject({scope: THREAT.endpoint, filter: expect.not.stringContaining('community_id')});
  const own = THREAT as RecordOf<'threats'>;
  const flow = {...own, id: 'j', event_time: '2026-01-01T00:00:01.000500Z'};
  const other = {...own, endpoint: `${own.endpoint}2`, event_time: '2025-12-31T23:59:59.999000Z'};
  const traffic = {...own, event_time: '2026-01-01T00:00:00.000400Z'} as unknown as RecordOf<'traffic'>;
  const line = timelineOf(own, {threats: [flow, own, other], traffic: [traffic]});
  expect(line.map(({kind, by, offsetMicros}) => [kind, by, offsetText(offsetMicros)])).toEqual([
    ['threat', 'community', '−1.5 ms'],
    ['traffic', 'flow', '−100 µs'],
    ['threat', 'this', '0'],
    ['threat', 'flow', '+1 s'],
  ]);
});

test('49-3 an exception is added once, and its preview says of how many alerts', () => {
  expect(hasException(['9000206'], '1:9000206')).toBe(true);
  expect(withException(['9000206', 'T-1'], '1:9000206')).toEqual(['9000206', 'T-1']);
  expect(withException(['T-1'], '1:9000206')).toEqual(['T-1', '1:9000206']);
  expect(previewText({hidden: 3, alerts: 8}, false)).toBe('Would have hidden 3 of the last 8 alerts (38%)');
  expect(previewText({hidden: 1, alerts: 1}, false)).toBe('Would have hidden the only stored alert');
  expect(previewText({hidden: 0, alerts: 1}, false)).toMatch(/^Would have hidden nothing/);
  expect(previewText({hidden: 1, alerts: 1000}, false)).toContain('(less than 1%)');
  expect(previewText({hidden: 0, alerts: 0}, false)).toContain('not known');
  // In force, it would have hidden nothing: it does hide.
  expect(previewText({hidden: 3, alerts: 8}, true)).toBe('3 of the last 8 alerts are of this rule (38%)');
  expect(previewText({hidden: 1, alerts: 8}, true)).toBe('1 of the last 8 alerts is of this rule (13%)');
  expect(previewText({hidden: 0, alerts: 1}, true)).toBe('The only stored alert is of another rule');
  expect(previewText({hidden: 0, alerts: 0}, true)).toBe('No alerts are stored');
  const shares = sharesOf({
    ...{endpoint: THREAT.endpoint, threatId: THREAT.threat_id, name: ''},
    ...{source: THREAT.source_ip_address, destination: THREAT.destination_ip_address},
  });
  expect(shares.map(({id}) => id)).toEqual(['rule', 'source', 'destination', 'both']);
  expect(compileFilter(excludingFilter(shares), THREAT_LIST)(THREAT)).toBe(false);
  for (const {filter} of shares) expect(compileFilter(filter, THREAT_LIST)(THREAT)).toBe(true);
});

test('49-3 an exception is offered at values that name a threat, not at an address', () => {
  const field = (path: string) => ({title: '', shown: '', term: {path, value: 'x'}});
  expect([[field('threat_id')], [field('source_ip_address')], []].map(hasThreat)).toEqual([true, false, false]);
});

test('49-3 an id without a threat is distinguished from failures that may pass', () => {
  const faultIn = (field: string) => new IdsError('INVALID_ARGUMENT', 'x', [{field, description: 'y'}]);
  expect([new IdsError('NOT_FOUND', 'x'), faultIn('id')].map(isNoThreat)).toEqual([true, true]);
  expect([new IdsError('UNAVAILABLE', 'x'), faultIn('filter'), new Error('x'), null].map(isNoThreat)).not.toContain(
    true,
  );
});
