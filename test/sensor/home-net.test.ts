// SPDX-License-Identifier: Apache-2.0
/** Which addresses rules take for our own, with the real Suricata. */
import type {SensorSpec} from '@palisade/sensor';
import {udpDatagram} from '@palisade/sensor/testing';
import {describe, expect, test} from 'vitest';
import {Lab, LabFolder, newSpec, skipReason, whyNot} from './lab/lab.ts';

const RULES = [
  'alert udp $EXTERNAL_NET any -> $HOME_NET 7777 (msg:"in"; sid:1;)',
  'alert udp $HOME_NET any -> $EXTERNAL_NET 7777 (msg:"out"; sid:2;)',
  'alert udp $HOME_NET any -> $HOME_NET 7777 (msg:"inside"; sid:3;)',
  'alert udp $EXTERNAL_NET any -> $EXTERNAL_NET 7777 (msg:"elsewhere"; sid:4;)',
  'alert udp $EXTERNAL_NET any -> $SQL_SERVERS 7777 (msg:"to a server"; sid:5;)',
].join('\n');

/** What a packet from the one to the other raises, for each pair: the rules of its own. */
const raised = async (lab: Lab, spec: SensorSpec, pairs: readonly (readonly [string, string])[]): Promise<string[]> => {
  const port = (index: number): number => 5000 + index;
  const frames = pairs.map(([client, server], index) =>
    udpDatagram({client, server, clientPort: port(index), serverPort: 7777}, 'client', Buffer.from('x')),
  );
  await lab.send(spec, frames);
  await lab.ask('stop', spec.endpoint); // reads to the end
  const {threats} = await lab.ask('records');
  const ofPort = (index: number): string[] =>
    threats.filter(([, record]) => record.source_port === String(port(index))).map(([, record]) => record.threat_id);
  return pairs.map(([client, server], index) => `${client} > ${server}: ${ofPort(index).sort().join(' ')}`);
};

describe.skipIf(whyNot !== undefined)(`HOME_NET${skipReason}`, () => {
  test('F-10 by default networks of carrier-grade NAT and private ones of IPv6 are home, too, and the health says so', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', RULES)]}));
    const spec = newSpec();
    await lab.ask('start', spec);
    expect((await lab.health(spec)).homeNet).toEqual([
      '10.0.0.0/8',
      '172.16.0.0/12',
      '192.168.0.0/16',
      '100.64.0.0/10',
      'fc00::/7',
      'fe80::/10',
    ]);
    expect(
      await raised(lab, spec, [
        ['8.8.8.8', '10.0.0.1'],
        ['8.8.8.8', '100.64.0.1'],
        ['100.64.0.1', '8.8.8.8'],
        ['2001:db8::1', 'fd00::1'],
        ['fe80::1', 'fd00::1'],
        ['2001:db8::1', '2001:db8::2'],
      ]),
    ).toEqual([
      '8.8.8.8 > 10.0.0.1: 1:1 1:5',
      '8.8.8.8 > 100.64.0.1: 1:1 1:5',
      '100.64.0.1 > 8.8.8.8: 1:2',
      '2001:db8::1 > fd00::1: 1:1 1:5',
      'fe80::1 > fd00::1: 1:3',
      '2001:db8::1 > 2001:db8::2: 1:4',
    ]);
  });

  test('F-10 networks that are named at a restart are those of an endpoint that was there; IPv6 is external where none is named', async () => {
    using folder = new LabFolder();
    const rules = [folder.file('a.rules', RULES)];
    const spec = newSpec();
    {
      await using first = new Lab();
      await first.ask('create', folder.options({rules}));
      await first.ask('start', spec);
    }
    await using lab = new Lab();
    const homeNet = ['203.0.113.0/24', '!203.0.113.128/25'];
    await lab.ask('create', folder.options({rules, homeNet}));
    await lab.ask('start', spec);
    expect((await lab.health(spec)).homeNet).toEqual(homeNet);
    expect(
      await raised(lab, spec, [
        ['10.0.0.1', '203.0.113.1'],
        ['203.0.113.1', '203.0.113.129'],
        ['203.0.113.129', '203.0.113.1'],
        ['2001:db8::1', 'fd00::1'],
      ]),
    ).toEqual([
      '10.0.0.1 > 203.0.113.1: 1:1 1:5',
      '203.0.113.1 > 203.0.113.129: 1:2',
      '203.0.113.129 > 203.0.113.1: 1:1 1:5',
      '2001:db8::1 > fd00::1: 1:4',
    ]);
  });
});
