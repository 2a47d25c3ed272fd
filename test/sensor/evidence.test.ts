// SPDX-License-Identifier: Apache-2.0
/** What is kept of alerts besides their records, with each capture driver: events, and the packets of flows. Real Suricata. */
import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import type {FlowQuery} from '@palisade/ids-wire';
import type {CaptureDriver, SensorSpec} from '@palisade/sensor';
import {tcpSession} from '@palisade/sensor/testing';
import {describe, expect, test} from 'vitest';
import {Lab, LabFolder, newSpec, skipReason, whyNot} from './lab/lab.ts';
import type {LabOptions} from './lab/protocol.ts';

const LIMIT_MS = 20_000;
const DRIVERS: readonly CaptureDriver[] = ['afpacket', 'afpacket-bpf', 'relay'];
const RULES =
  'alert http any any -> any any (msg:"TEST sql"; http.uri; content:"union"; sid:1; rev:3;)\n' +
  'alert http any any -> any any (msg:"TEST never"; http.uri; content:"never-there"; sid:2; rev:1;)\n';
const REQUEST = 'GET /?q=union%20select HTTP/1.1\r\nHost: shop\r\nUser-Agent: x\r\n\r\n';
const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc';
const LATER = 'GET /later HTTP/1.1\r\nHost: shop\r\n\r\n';

const ends = (clientPort: number) => ({client: '10.9.0.1', server: '10.9.0.2', clientPort, serverPort: 80});
const attack = (clientPort: number): Buffer[] =>
  tcpSession(ends(clientPort), [
    {from: 'client', data: REQUEST},
    {from: 'server', data: ANSWER},
    {from: 'client', data: LATER},
  ]);
const harmless = (clientPort: number): Buffer[] =>
  tcpSession(ends(clientPort), [
    {from: 'client', data: LATER},
    {from: 'server', data: ANSWER},
  ]);

const queryOf = ({endpoint}: SensorSpec, clientPort: number): FlowQuery => ({
  endpoint,
  protocol: 'tcp',
  source: {ip: '10.9.0.1', port: clientPort},
  destination: {ip: '10.9.0.2', port: 80},
  fromMicros: 0,
  untilMicros: Number.MAX_SAFE_INTEGER,
});

const begin = async (lab: Lab, folder: LabFolder, more: Partial<LabOptions>): Promise<SensorSpec> => {
  await lab.ask('create', folder.options({rules: [folder.file('a.rules', RULES)], ...more}));
  const spec = newSpec({trafficLogs: true});
  await lab.ask('start', spec);
  return spec;
};

const framesOf = async (lab: Lab, query: FlowQuery): Promise<Buffer[]> =>
  (await lab.ask('flowFrames', query)).map(text => Buffer.from(text, 'base64'));

/** Capture files anywhere below the data of all sensors, by folder. */
const flowFiles = (folder: LabFolder): string[] =>
  readdirSync(join(folder.path, 'data'), {recursive: true, encoding: 'utf8'})
    .filter(path => /flow\.pcap\.\d+\.\d+$/.test(path))
    .map(path => path.split('/')[0] ?? '');

describe.skipIf(whyNot !== undefined)(`evidence${skipReason}`, () => {
  test.each(DRIVERS)(
    '44-2 payload, %s: packet, payload, HTTP fields and community id of the first alert',
    async driver => {
      using folder = new LabFolder();
      await using lab = new Lab();
      const spec = await begin(lab, folder, {driver, evidence: 'payload'});
      await lab.send(spec, attack(40_001));
      await lab.send(spec, attack(40_002));
      await lab.ask('until', {alerts: 2}, LIMIT_MS);
      await lab.ask('close');
      const [[id, event] = ['', '{}'], ...others] = await lab.ask('evidence');
      const {threats, traffic} = await lab.ask('records');
      const [record] = threats.flatMap(([of, threat]) => (of === id ? [threat] : []));
      expect([others, record?.repeat_count]).toEqual([[], '2']);
      const {payload, packet, http, community_id: communityId, flow} = JSON.parse(event);
      expect(Buffer.from(payload, 'base64').toString('latin1')).toBe(REQUEST);
      expect(Buffer.from(packet, 'base64').length).toBeGreaterThanOrEqual(40);
      expect(http).toMatchObject({http_method: 'GET', url: '/?q=union%20select', http_user_agent: 'x'});
      expect(http).not.toHaveProperty('http_response_body');
      expect(flow.start).toMatch(/^\d{4}-/);
      expect(communityId).toMatch(/^1:.{27}=$/);
      expect(record?.community_id).toBe(communityId);
      expect(traffic.map(([, {community_id: ofFlow}]) => ofFlow)).toContain(communityId);
      expect(flowFiles(folder)).toEqual([]);
    },
  );

  test('44-2 none: no event is kept, and Suricata writes no packet', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const spec = await begin(lab, folder, {evidence: 'none'});
    await lab.send(spec, attack(40_001));
    await lab.ask('until', {alerts: 1}, LIMIT_MS);
    expect(await lab.ask('evidence')).toEqual([]);
    expect(await lab.ask('flowFrames', queryOf(spec, 40_001))).toEqual([]);
  });

  test.each(DRIVERS)(
    '44-2 pcap, %s: the packets of flows with alerts alone, both ways; they outlive their endpoint',
    async driver => {
      using folder = new LabFolder();
      await using lab = new Lab();
      const spec = await begin(lab, folder, {driver, evidence: 'pcap'});
      await lab.send(spec, harmless(40_003));
      const sent = attack(40_001);
      await lab.send(spec, sent);
      await lab.ask('until', {alerts: 1}, LIMIT_MS);
      await lab.ask('stop', spec.endpoint);
      expect([...new Set(flowFiles(folder))]).toEqual(['flows']);
      const frames = await framesOf(lab, queryOf(spec, 40_001));
      for (const text of [REQUEST, ANSWER, LATER]) expect(frames.some(frame => frame.includes(text))).toBe(true);
      for (const frame of frames) expect(sent.some(one => one.equals(frame))).toBe(true);
      expect(await framesOf(lab, queryOf(spec, 40_003))).toEqual([]);
    },
  );

  test('44-2 pcap: a new run of Suricata, killed or not, continues the ring; a new endpoint of the name finds all', async () => {
    using folder = new LabFolder();
    const rules = [folder.file('a.rules', RULES)];
    const spec = newSpec();
    const options = folder.options({rules, evidence: 'pcap', limits: {restartFirstMs: 50}});
    {
      await using lab = new Lab();
      await lab.ask('create', options);
      await lab.ask('start', spec);
      for (let port = 41_000; port < 41_020; port++) await lab.send(spec, attack(port), 5000); // more than a buffer of stdio
      await lab.ask('until', {alerts: 20}, LIMIT_MS);
      process.kill((await lab.health(spec)).pid ?? 0, 'SIGKILL');
      await lab.ask('until', {status: 'READY', endpoint: spec.endpoint, restarts: 1}, LIMIT_MS);
      expect((await framesOf(lab, queryOf(spec, 41_000))).length).toBeGreaterThan(3);
      await lab.kill(); // the server, too
    }
    await using lab = new Lab();
    await lab.ask('create', options);
    await lab.ask('start', spec);
    await lab.send(spec, attack(42_000));
    await lab.ask('until', {alerts: 21}, LIMIT_MS);
    await lab.ask('stop', spec.endpoint);
    await lab.ask('start', spec);
    for (const port of [41_000, 42_000]) expect((await framesOf(lab, queryOf(spec, port))).length).toBeGreaterThan(3);
    expect((await lab.health(spec)).status).toBe('READY');
  });

  test('44-2 pcap: capture files that cannot be written do not disturb inspection', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    // No file of it grows above 256 KiB: writes fail as on a full disk.
    const script = '#!/bin/sh\n[ "$1" = -V ] || { trap "" XFSZ; ulimit -f 512; }\nexec suricata "$@"\n';
    const spec = await begin(lab, folder, {evidence: 'pcap', suricata: folder.file('small', script, 0o755)});
    const long = [
      {from: 'client', data: REQUEST},
      {from: 'server', data: ANSWER},
    ] as const;
    const more = Array.from({length: 40}, () => ({from: 'server', data: 'x'.repeat(14_000)}) as const);
    await lab.send(spec, tcpSession(ends(40_001), [...long, {from: 'client', data: LATER}, ...more]), 5000);
    await lab.ask('until', {alerts: 1}, LIMIT_MS);
    for (const port of [40_002, 40_003]) await lab.send(spec, attack(port));
    await lab.ask('until', {alerts: 3}, LIMIT_MS);
    expect((await lab.health(spec)).restarts).toBe(0);
    expect((await framesOf(lab, queryOf(spec, 40_001))).length).toBeGreaterThan(100);
    await lab.ask('stop', spec.endpoint);
  });

  test('44-2 pcap: another budget deletes the oldest files, and never the one that is written', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const flowBudget = {bytes: 0, ageMs: 86_400_000};
    const spec = await begin(lab, folder, {evidence: 'pcap', flowBudget});
    await lab.send(spec, attack(40_001));
    await lab.ask('until', {alerts: 1}, LIMIT_MS);
    await expect.poll(() => flowFiles(folder), {timeout: LIMIT_MS}).toEqual(['endpoints']);
    await lab.ask('tidyFlows');
    expect(flowFiles(folder)).toEqual(['endpoints']);
    await lab.ask('stop', spec.endpoint);
    expect(flowFiles(folder)).toEqual(['flows']);
    await lab.ask('tidyFlows');
    expect(flowFiles(folder)).toEqual([]);
  });
});
