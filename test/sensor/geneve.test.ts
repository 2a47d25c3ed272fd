// SPDX-License-Identifier: Apache-2.0
/** What an endpoint takes in addition to VXLAN, and from whom: GENEVE on UDP 6081, and the senders of `mirrorFrom`. */
import type {SensorSpec} from '@palisade/sensor';
import {ipFrame} from '@palisade/sensor/testing';
import {describe, expect, test} from 'vitest';
import {countsOf, Lab, LabFailure, LabFolder, newSpec, skipReason, whyNot} from './lab/lab.ts';
import {distinctHits, hit, SEVERITY_RULES} from './lab/rules.ts';

const LIMIT_MS = 10_000;
const GENEVE_PORT = 6081;
const ETHERNET_HEADER_BYTES = 14;

/** A datagram of RFC 8926. `options`: whole words of 4 bytes. */
const geneve = (vni: number, type: number, inner: Buffer, options = Buffer.alloc(0)): Buffer => {
  const header = Buffer.alloc(8);
  header.writeUInt8(options.length / 4, 0);
  header.writeUInt16BE(type, 2);
  header.writeUInt32BE(vni * 256, 4);
  return Buffer.concat([header, options, inner]);
};

/** Options as a gateway load balancer of AWS sends them: class 0x0108, types 1 and 2 of 8 bytes, 3 of 4 bytes. */
const AWS_OPTIONS = Buffer.from('0108010200000000000000010108020200000000000000020108030100000003', 'hex');
/** The same, with a type that is marked critical and that nobody knows. */
const CRITICAL_OPTION = Buffer.from('0108ff0100000000', 'hex');

const bare = (frame: Buffer): Buffer => frame.subarray(ETHERNET_HEADER_BYTES);
/** Raises rule 3 of SEVERITY_RULES. */
const hitOverIpv6 = (): Buffer => {
  const udp = bare(hit('three')).subarray(20);
  return ipFrame('2001:db8::1', '2001:db8::2', 17, udp);
};

const sendGeneve = (lab: Lab, spec: SensorSpec, datagrams: readonly Buffer[], perSecond = 1000): Promise<number> => {
  const frames = datagrams.map(datagram => datagram.toString('base64'));
  return lab.ask('send', {ip: spec.ip, vni: 0, frames, perSecond, bare: true, port: GENEVE_PORT});
};

describe.skipIf(whyNot !== undefined)(`GENEVE and senders${skipReason}`, () => {
  test('43-1 frames and bare IP packets in GENEVE are inspected beside VXLAN; what is no GENEVE is malformed, another VNI foreign', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const rules = [folder.file('a.rules', SEVERITY_RULES)];
    await lab.ask('create', folder.options({rules}));
    const spec = newSpec({vni: 0x010203});
    await lab.ask('start', spec);
    await lab.send(spec, [hit('one')]);
    await sendGeneve(lab, spec, [
      geneve(spec.vni, 0x6558, hit('two'), CRITICAL_OPTION),
      geneve(spec.vni, 0x0800, bare(hit('four')), AWS_OPTIONS),
      geneve(spec.vni, 0x86dd, bare(hitOverIpv6())),
      geneve(0, 0x6558, hit('five')),
      geneve(spec.vni, 0x88b5, hit('six')),
      Buffer.alloc(40, 0xff),
      Buffer.alloc(0),
    ]);
    await lab.ask('until', {alerts: 4}, LIMIT_MS);
    expect((await lab.health(spec)).packets).toMatchObject({received: 4, dropped: 0, malformed: 3, foreignVni: 1});
    await lab.ask('stop', spec.endpoint);
    expect(countsOf(await lab.ask('records'))).toEqual({'1:1': 1, '1:2': 1, '1:4': 1, '1:3': 1});
  });

  test('43-1 GENEVE is counted as VXLAN is, also what the kernel drops', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const limits = {socketBufferBytes: 4096, watchMs: 50};
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], limits}));
    const spec = newSpec();
    await lab.ask('start', spec);
    await sendGeneve(lab, spec, [Buffer.alloc(3), geneve(spec.vni + 1, 0x6558, hit('one'))]);
    const hits = distinctHits(3000, 28).map(frame => geneve(spec.vni, 0x6558, frame));
    await sendGeneve(lab, spec, hits, 1_000_000); // by the very process that reads
    await lab.ask('until', {dropped: 1, endpoint: spec.endpoint}, LIMIT_MS);
    await lab.ask('until', {received: 3000, endpoint: spec.endpoint}, LIMIT_MS);
    const {received, dropped, malformed, foreignVni} = (await lab.health(spec)).packets;
    expect([received, dropped > 0, malformed, foreignVni]).toEqual([3000, true, 1, 1]);
    await lab.ask('until', {alerts: received - dropped}, LIMIT_MS);
  });

  test('43-1 a stop takes in the GENEVE packets that were sent before it', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)]}));
    const spec = newSpec();
    await lab.ask('start', spec);
    await sendGeneve(
      lab,
      spec,
      distinctHits(500, 29).map(frame => geneve(spec.vni, 0x6558, frame)),
      1_000_000,
    );
    await lab.ask('stop', spec.endpoint);
    expect(countsOf(await lab.ask('records'))).toEqual({'1:1': 500});
  });

  test('43-1 a gateway load balancer sends VNI 0: acceptAnyVni takes it', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const rules = [folder.file('a.rules', SEVERITY_RULES)];
    await lab.ask('create', folder.options({rules, acceptAnyVni: true}));
    const spec = newSpec();
    await lab.ask('start', spec);
    await sendGeneve(lab, spec, [geneve(0, 0x0800, bare(hit('two')), AWS_OPTIONS)]);
    await lab.ask('until', {alerts: 1}, LIMIT_MS);
    expect((await lab.health(spec)).packets).toMatchObject({received: 1, malformed: 0, foreignVni: 0});
  });

  test('43-1 UDP 6081 that another program holds is named with the way out, and UDP 4789 is free again', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)]}));
    const spec = newSpec();
    await lab.ask('hold', spec.ip, GENEVE_PORT);
    const failure = await lab.ask('start', spec).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(LabFailure);
    expect(failure).toMatchObject({
      code: 'address',
      message: `UDP 6081 (GENEVE) at ${spec.ip} is in use by another program: stop it, or use another endpoint pool`,
    });
    await lab.ask('hold', spec.ip, 4789);
  });

  test('43-1 packets of senders outside mirrorFrom are neither inspected nor dropped; when there are no others the endpoint is DEGRADED', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const rules = [folder.file('a.rules', SEVERITY_RULES)];
    await lab.ask('create', folder.options({rules, mirrorFrom: ['127.9.0.0/16'], limits: {watchMs: 50}}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const send = (from: string, name: string) =>
      lab.ask('send', {ip: spec.ip, vni: spec.vni, frames: [hit(name).toString('base64')], perSecond: 1000, from});
    for (let i = 0; i < 5; i++) await send('127.8.0.1', 'one');
    await lab.ask('until', {status: 'DEGRADED', endpoint: spec.endpoint}, LIMIT_MS);
    expect((await lab.health(spec)).reasons).toEqual([
      'no packet comes from a network of --mirror-from: all 5 of the last 60 s have other senders, the newest 127.8.0.1; send the mirror from a listed address, or add this sender to --mirror-from',
    ]);
    await send('127.9.255.1', 'two');
    await lab.ask('until', {status: 'READY', endpoint: spec.endpoint}, LIMIT_MS);
    expect((await lab.health(spec)).packets).toMatchObject({received: 1, dropped: 0, malformed: 0, foreignVni: 0});
    await lab.ask('stop', spec.endpoint);
    expect(countsOf(await lab.ask('records'))).toEqual({'1:2': 1});
  });
});
