// SPDX-License-Identifier: Apache-2.0
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import type {FlowQuery} from '@palisade/ids-wire';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {endpointsDir, folderOf} from '../sensor/sensor-folder.ts';
import {icmpEcho, tcpSession, toPcap, udpDatagram} from '../testing/packets.ts';
import {flowFilesOf, keepFlowFiles, tidyFlowFiles} from './flow-files.ts';
import {readFlowFrames} from './flow-frames.ts';
import {framesIn} from './frame-flow.ts';
import {pcapRecords} from './read-pcap.ts';

const ENDPOINT = 'projects/p/locations/local/endpoints/a';
const ENDS = {client: '10.0.0.1', server: '10.0.0.2', clientPort: 4000, serverPort: 80};
const NOW_MS = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
const session = tcpSession(ENDS, [{from: 'client', data: 'hello'}]);

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'palisade-flows-'));
});
afterEach(() => rmSync(dir, {recursive: true}));

const flowFile = (folder: string, ms: number, content: Buffer | string): string => {
  const path = join(folder, `flow.pcap.${ms / 1000}.0`);
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(path, content);
  utimesSync(path, ms / 1000, ms / 1000);
  return path;
};
const query = (more: Partial<FlowQuery> = {}): FlowQuery => ({
  ...{
    endpoint: ENDPOINT,
    protocol: 'tcp',
    source: {ip: '10.0.0.1', port: 4000},
    destination: {ip: '10.0.0.2', port: 80},
  },
  ...{fromMicros: (NOW_MS - 1000) * 1000, untilMicros: (NOW_MS + 10_000) * 1000},
  ...more,
});
const read = async (of: FlowQuery = query()): Promise<Buffer[]> =>
  (await readFlowFrames(dir, of)).frames.map(({bytes}) => Buffer.from(bytes));

describe('frames of a flow', () => {
  test('44-2 both directions, of the endpoint and of former ones of its name, and of no other flow', async () => {
    const folder = folderOf(dir, ENDPOINT);
    flowFile(folder, NOW_MS, toPcap(session.slice(0, 3), NOW_MS));
    await keepFlowFiles(dir, folder);
    expect(existsSync(join(folder, `flow.pcap.${NOW_MS / 1000}.0`))).toBe(false);
    const other = tcpSession({...ENDS, clientPort: 4001}, [{from: 'client', data: 'other'}]);
    flowFile(folder, NOW_MS + 5000, toPcap([...session.slice(3), ...other], NOW_MS + 5000));
    expect(await read()).toEqual(session);
    expect(await read(query({source: query().destination, destination: query().source}))).toEqual(session);
    expect(await read(query({untilMicros: NOW_MS * 1000 + 1500}))).toEqual(session.slice(0, 2));
    expect(await read(query({endpoint: `${ENDPOINT}b`}))).toEqual([]);
  });

  test('44-2 a file that ends in the middle of a packet gives those before it', async () => {
    const whole = toPcap(session, NOW_MS);
    flowFile(folderOf(dir, ENDPOINT), NOW_MS, whole.subarray(0, whole.length - 7));
    expect(await read()).toEqual(session.slice(0, -1));
    expect([...pcapRecords(Buffer.from('not a capture file at all, is it?'))]).toEqual([]);
  });

  test('44-2 links that the user of Suricata has put there are not followed', async () => {
    const folder = folderOf(dir, ENDPOINT);
    const elsewhere = flowFile(join(dir, 'elsewhere'), NOW_MS, toPcap(session, NOW_MS));
    mkdirSync(folder, {recursive: true});
    symlinkSync(elsewhere, join(folder, 'flow.pcap.1.0'));
    linkSync(elsewhere, join(folder, `flow.pcap.${NOW_MS / 1000}.0`));
    expect(await read()).toEqual([]);
  });
});

describe('frames', () => {
  const endsOf = (frame: Buffer) => [...framesIn(frame)].map(([, ends]) => ends);

  test('44-2 IPv6, UDP, ICMP, and VLAN tags', () => {
    const v6 = udpDatagram(
      {client: '2001:db8::1', server: '2001:db8::2', clientPort: 5, serverPort: 53},
      'client',
      Buffer.alloc(1),
    );
    expect(endsOf(v6)).toEqual([{protocol: 17, source: '2001:db8::1', destination: '2001:db8::2', ports: [5, 53]}]);
    expect(endsOf(icmpEcho('10.0.0.1', '10.0.0.2', 1))).toMatchObject([{protocol: 1, ports: undefined}]);
    const [syn = Buffer.alloc(0)] = session;
    const tagged = Buffer.concat([syn.subarray(0, 12), Buffer.from('88a80001810000ff', 'hex'), syn.subarray(12)]);
    expect(endsOf(tagged)).toMatchObject([{source: '10.0.0.1', ports: [4000, 80]}]);
  });

  test('44-2 what a mirror carries is found inside VXLAN; garbage gives nothing', () => {
    const [syn = Buffer.alloc(0)] = session;
    const vxlan = Buffer.concat([Buffer.from('0800000000006500', 'hex'), syn]);
    const outer = udpDatagram(
      {client: '127.0.0.1', server: '127.77.0.1', clientPort: 9, serverPort: 4789},
      'client',
      vxlan,
    );
    expect([...framesIn(outer)].map(([frame]) => frame)).toEqual([outer, syn]);
    for (let bytes = 0; bytes < outer.length; bytes++) expect(() => endsOf(outer.subarray(0, bytes))).not.toThrow();
  });
});

describe('the budget of capture files', () => {
  test('44-2 the oldest go first, also of endpoints that are gone; the newest of a running one stays while such files are written', async () => {
    const content = Buffer.alloc(1000);
    const live = folderOf(dir, ENDPOINT);
    const gone = folderOf(dir, `${ENDPOINT}-gone`);
    const kept = flowFile(gone, NOW_MS - 3000, content);
    await keepFlowFiles(dir, gone);
    const older = flowFile(live, NOW_MS - 2000, content);
    const newest = flowFile(live, NOW_MS - 1000, content);
    expect(existsSync(kept)).toBe(false);
    expect(await tidyFlowFiles(dir, {bytes: 3000, ageMs: DAY_MS, nowMs: NOW_MS})).toBe(0);
    expect(await tidyFlowFiles(dir, {bytes: 2000, ageMs: DAY_MS, nowMs: NOW_MS})).toBe(1);
    expect(await flowFilesOf(dir, `${ENDPOINT}-gone`)).toEqual([]);
    expect(await tidyFlowFiles(dir, {bytes: 9000, ageMs: 500, nowMs: NOW_MS})).toBe(1);
    expect([existsSync(older), existsSync(newest)]).toEqual([false, true]);
    expect(await tidyFlowFiles(dir, {bytes: 0, ageMs: 0, nowMs: NOW_MS})).toBe(0);
    expect(await tidyFlowFiles(dir, {bytes: 0, ageMs: 0, nowMs: NOW_MS, isWritten: false})).toBe(1);
    expect([existsSync(newest), existsSync(endpointsDir(dir))]).toEqual([false, true]);
  });

  test.each([
    ['the packets', 1000, [false, false, true]],
    ['files and packets', -3_600_000, [false, true, true]],
  ])('44-2 the file that is written stays, though the clock of %s was set back', async (_of, writtenMs, stay) => {
    const folder = folderOf(dir, ENDPOINT);
    const paths = [NOW_MS - DAY_MS, NOW_MS, NOW_MS - 3_600_000].map(ms => flowFile(folder, ms, Buffer.alloc(10)));
    utimesSync(paths[2] ?? '', (NOW_MS + writtenMs) / 1000, (NOW_MS + writtenMs) / 1000);
    const nowMs = NOW_MS + writtenMs + 10;
    expect(await tidyFlowFiles(dir, {bytes: 0, ageMs: DAY_MS, nowMs})).toBe(stay.filter(each => !each).length);
    expect(paths.map(path => existsSync(path))).toEqual(stay);
  });

  test('44-2 folders of former endpoints go with their last file', async () => {
    const [gone, other] = [folderOf(dir, ENDPOINT), folderOf(dir, `${ENDPOINT}-other`)];
    flowFile(gone, NOW_MS - 2 * DAY_MS, Buffer.alloc(10));
    flowFile(other, NOW_MS, Buffer.alloc(10));
    for (const folder of [gone, other]) await keepFlowFiles(dir, folder);
    expect(readdirSync(join(dir, 'flows'))).toHaveLength(2);
    expect(await tidyFlowFiles(dir, {bytes: 100, ageMs: DAY_MS, nowMs: NOW_MS})).toBe(1);
    expect(readdirSync(join(dir, 'flows'))).toHaveLength(1);
  });
});
