// SPDX-License-Identifier: Apache-2.0
/** The OTLP exporter before a receiver that decodes with the protos that OpenTelemetry publishes. collector.test.ts has a real Collector. */
import {describe, expect, test} from 'vitest';
import {dedupId} from '../../packages/ids/src/export/exporter.ts';
import {logsUrlOf} from '../../packages/ids/src/export/otlp/otlp.ts';
import {ENDPOINT, threatItem, trafficItem} from './support/items.ts';
import {openExporter, settingsOf} from './support/open-exporter.ts';
import {ACCEPTED, type Answer, startOtlpReceiver, uidsOf} from './support/otlp-receiver.ts';
import {otlpMessages, whyNoProtos} from './support/published-protos.ts';

const NOW = Date.UTC(2026, 10, 27, 12, 31);
const PROTOBUF = {'content-type': 'application/x-protobuf'};

const exporterTo = (port: number, options: Readonly<Record<string, string>> = {}, headers = {}) =>
  openExporter(settingsOf(`otlp+http://127.0.0.1:${port}`, {options}), {headers}, {now: () => NOW});
const never = new AbortController().signal;

describe.skipIf(whyNoProtos !== '')(`OTLP logs${whyNoProtos}`, () => {
  test('44-5 a threat has its time in nanoseconds, its severity, and its fields under the names of the conventions', async () => {
    await using receiver = await startOtlpReceiver();
    const exporter = await exporterTo(receiver.port);
    const item = threatItem(1, {
      cves: ['CVE-2014-6271'],
      references: ['https://example.com/r'],
      mitre_tactics: [{id: 'TA0001', name: 'Initial Access'}],
      mitre_techniques: [{id: 'T1190', name: ''}],
      community_id: '1:abc=',
      uri_or_filename: '',
    });
    await exporter.send([item], never);
    await exporter.close();
    expect(receiver.logs).toHaveLength(1);
    expect(receiver.logs[0]).toMatchObject({
      timeUnixNano: '1795782615123457000',
      observedTimeUnixNano: `${NOW}000000`,
      severityNumber: 'SEVERITY_NUMBER_ERROR',
      severityText: 'HIGH',
      eventName: 'palisade.threat',
      resource: {
        'service.name': 'palisade',
        'service.version': '0.1.0',
        'host.name': 'ids-1',
        'palisade.endpoint': ENDPOINT,
      },
      scope: {name: 'palisade', version: '0.1.0'},
      body: {kind: 'threats', id: item.id, ...item.record},
    });
    expect(receiver.logs[0]?.attributes).toEqual({
      'log.record.uid': dedupId(item),
      'palisade.endpoint': ENDPOINT,
      'source.address': '192.0.2.1',
      'source.port': 1025,
      'destination.address': '192.0.2.2',
      'destination.port': 80,
      'network.transport': 'tcp',
      'network.type': 'ipv4',
      'network.protocol.name': 'http',
      'security_rule.uuid': '1:2019401',
      'security_rule.name': 'SQL injection, "union select"',
      'security_rule.category': 'code-execution',
      'security_rule.version': '1',
      'security_rule.reference': 'https://example.com/r',
      'palisade.network': 'net',
      'palisade.session_id': '7',
      'palisade.repeat_count': 1,
      'palisade.community_id': '1:abc=',
      'palisade.severity': 'HIGH',
      'palisade.type': 'vulnerability',
      'palisade.direction': 'client-to-server',
      'palisade.cves': ['CVE-2014-6271'],
      'palisade.mitre.tactics': ['TA0001'],
      'palisade.mitre.techniques': ['T1190'],
    });
  });

  test('44-5 a traffic record is an informational event, without ports and protocol where it has none', async () => {
    await using receiver = await startOtlpReceiver();
    const exporter = await exporterTo(receiver.port);
    await exporter.send([trafficItem(1)], never);
    await exporter.close();
    expect(receiver.logs[0]).toMatchObject({severityNumber: 'SEVERITY_NUMBER_INFO', eventName: 'palisade.traffic'});
    expect(receiver.logs[0]?.attributes).toEqual({
      'log.record.uid': `${ENDPOINT}/traffic/${trafficItem(1).id}`,
      'palisade.endpoint': ENDPOINT,
      'source.address': '2001:db8::1',
      'destination.address': '2001:db8::2',
      'network.transport': 'ipv6-icmp',
      'network.type': 'ipv6',
      'palisade.network': 'net',
      'palisade.session_id': '77',
      'palisade.repeat_count': 1,
      'palisade.elapsed_seconds': 4,
      'palisade.total_bytes': 900,
      'palisade.total_packets': 6,
    });
  });

  test.each([
    ['INFORMATIONAL', 'SEVERITY_NUMBER_INFO'],
    ['LOW', 'SEVERITY_NUMBER_INFO2'],
    ['MEDIUM', 'SEVERITY_NUMBER_WARN'],
    ['HIGH', 'SEVERITY_NUMBER_ERROR'],
    ['CRITICAL', 'SEVERITY_NUMBER_ERROR2'],
  ] as const)('44-5 severity %s is %s', async (alert_severity, number) => {
    await using receiver = await startOtlpReceiver();
    const exporter = await exporterTo(receiver.port);
    await exporter.send([threatItem(1, {alert_severity})], never);
    await exporter.close();
    expect(receiver.logs[0]).toMatchObject({severityNumber: number, severityText: alert_severity});
  });

  test('44-5 records of several endpoints come under a resource each; a batch is one request, compressed, with the headers', async () => {
    await using receiver = await startOtlpReceiver();
    const exporter = await exporterTo(receiver.port, {}, {'x-api-key': 'k'});
    const other = `${ENDPOINT}-2`;
    const items = Array.from({length: 500}, (_, n) => ({...threatItem(n), endpoint: n % 2 === 0 ? ENDPOINT : other}));
    await exporter.send(items, never);
    await exporter.close();
    expect(uidsOf(receiver.logs).toSorted()).toEqual(items.map(dedupId).toSorted());
    expect(new Set(receiver.logs.map(({resource}) => resource['palisade.endpoint']))).toEqual(
      new Set([ENDPOINT, other]),
    );
    expect(receiver.requests).toMatchObject([
      {path: '/v1/logs', records: 500, headers: {'x-api-key': 'k', 'content-encoding': 'gzip', ...PROTOBUF}},
    ]);
  });

  test('44-5 what the receiver rejects of a batch is returned, and not an error', async () => {
    const body = otlpMessages().response({partialSuccess: {rejectedLogRecords: '2', errorMessage: 'too\nold'}});
    await using receiver = await startOtlpReceiver(() => ({...ACCEPTED, body}));
    const exporter = await exporterTo(receiver.port, {compression: 'none'});
    await expect(
      exporter.send(
        [1, 2, 3].map(n => threatItem(n)),
        never,
      ),
    ).resolves.toEqual({count: 2, reason: 'too old'});
    await exporter.close();
  });

  const status = (message: string): Uint8Array =>
    Buffer.concat([Buffer.from([8, 3, 18, message.length]), Buffer.from(message)]);
  test.each<[string, Answer, object]>([
    [
      '400 in protobuf',
      {status: 400, headers: PROTOBUF, body: status('bad body')},
      {code: 'refused', answered: '400', words: 'bad body'},
    ],
    ['413', {status: 413}, {code: 'refused', answered: '413', words: undefined}],
    [
      '401 in JSON',
      {status: 401, headers: {'content-type': 'application/json'}, body: '{"message":"no key"}'},
      {code: 'unavailable', answered: '401', words: 'no key'},
    ],
    [
      '404 in text',
      {status: 404, headers: {'content-type': 'text/plain'}, body: `404 page\n\u202enot found${'!'.repeat(400)}`},
      {code: 'unavailable', answered: '404', words: `404 page not found${'!'.repeat(282)}`},
    ],
    ['429 with a time', {status: 429, headers: {'retry-after': '7'}}, {code: 'unavailable', retryAfterMs: 7_000}],
    [
      '503 with a date',
      {status: 503, headers: {'retry-after': 'Fri, 27 Nov 2026 12:31:09 GMT'}},
      {code: 'unavailable', retryAfterMs: 9_000},
    ],
    ['500', {status: 500}, {code: 'unavailable', retryAfterMs: undefined}],
    ['a redirect', {status: 302, headers: {location: '/login'}}, {code: 'unavailable'}],
    [
      'a page',
      {status: 200, headers: {'content-type': 'text/html; charset=utf-8'}, body: '<p>'},
      {code: 'unavailable', answered: '200: a web page, which is no OTLP receiver; check the path of the URL'},
    ],
  ])(
    '44-5 an answer that is no success fails, and says whether sending again may help: %s',
    async (_, answer, fault) => {
      await using receiver = await startOtlpReceiver(() => answer);
      const exporter = await exporterTo(receiver.port);
      const {answered = String(answer.status), ...rest} = fault as {answered?: string};
      await expect(exporter.send([threatItem(1)], never)).rejects.toMatchObject({
        ...rest,
        message: `127.0.0.1:${receiver.port} answered ${answered}`, // no path, no words of the receiver
      });
      await exporter.close();
    },
  );

  test('44-5 a receiver that cuts the connection, or does not answer, or is not there, is an error; the next batch works', async () => {
    let gone = true;
    await using receiver = await startOtlpReceiver(() => (gone ? undefined : ACCEPTED));
    const exporter = await exporterTo(receiver.port);
    await expect(exporter.send([threatItem(1)], never)).rejects.toThrow();
    gone = false;
    await exporter.send([threatItem(1)], never);
    expect(receiver.logs).toHaveLength(1);
    await exporter.close();
    const {port} = receiver;
    await receiver[Symbol.asyncDispose]();
    await expect((await exporterTo(port)).send([threatItem(1)], never)).rejects.toThrow('ECONNREFUSED');
  });

  test('44-5 an attempt ends when it is asked to', async () => {
    const asked = new AbortController();
    await using receiver = await startOtlpReceiver(() => {
      asked.abort();
      return {status: 200, headers: {'content-length': '10'}};
    });
    const exporter = await exporterTo(receiver.port);
    await expect(exporter.send([threatItem(1)], asked.signal)).rejects.toThrow();
    await exporter.close();
  });
});

test.each([
  ['otlp+http://h:4318', 'http://h:4318/v1/logs'],
  ['otlp+https://h', 'https://h/v1/logs'],
  ['otlp+https://h/otlp/v1/logs?tenant=a', 'https://h/otlp/v1/logs?tenant=a'],
])('44-5 %s is sent to %s', (text, url) => expect(logsUrlOf(text).href).toBe(url));
