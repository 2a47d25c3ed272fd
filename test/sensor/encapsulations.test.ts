// SPDX-License-Identifier: Apache-2.0
/** Tunnels inside mirrored frames are decoded as Suricata does by default. */
import {readFileSync} from 'node:fs';
import {canonicalIp} from '@palisade/ids-wire';
import {describe, expect, test} from 'vitest';
import {Lab, LabFolder, newSpec, skipReason, whyNot} from './lab/lab.ts';

const FILE_HEADER_BYTES = 24;
const RECORD_HEADER_BYTES = 16;

/** The frames of a capture file (pcap, little endian). */
const framesOf = (file: Buffer): Buffer[] => {
  const frames: Buffer[] = [];
  for (let at = FILE_HEADER_BYTES; at < file.length; ) {
    const start = at + RECORD_HEADER_BYTES;
    at = start + file.readUInt32LE(at + 8);
    frames.push(file.subarray(start, at));
  }
  return frames;
};

/**
 * One DNS query in each of 25 encapsulations, each from a source of its own. Those that `suricata -r` of 7.0 finds with its default decoders;
 * it does not look into IP-in-IP (.7), VXLAN on port 8472 (.9), LLC (.21), VXLAN-GPE (.22), GTP-U (.23) and CMD (.24).
 */
const FOUND: Readonly<Record<string, string>> = {
  '10.50.0.1': 'nothing',
  '10.50.0.2': 'VLAN',
  '10.50.0.3': 'QinQ',
  '10.50.0.4': 'two VLAN tags',
  '10.50.0.5': 'three VLAN tags',
  '10.50.0.6': 'GRE',
  '10.50.0.8': 'VXLAN',
  '10.50.0.10': 'Geneve',
  '10.50.0.11': 'MPLS',
  '2001:db8::c': 'IPv6 in IPv4',
  '10.50.0.13': 'IPv4 in IPv6',
  '2001:0:db8::e': 'Teredo',
  '10.50.0.15': 'PPPoE',
  '10.50.0.16': 'Ethernet in GRE',
  '10.50.0.17': 'ERSPAN',
  '10.50.0.18': 'fragments',
  '10.50.0.19': 'fragments in another order',
  '10.50.0.20': 'PBB',
  '10.50.0.25': 'VXLAN in a VLAN',
};

describe.skipIf(whyNot !== undefined)(`tunnels in mirrored frames${skipReason}`, () => {
  test('F-13 a DNS query is found in each encapsulation in which Suricata finds it by default, VXLAN among them', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const rule = 'alert dns any any -> any any (msg:"query"; dns.query; content:"test.example"; sid:1;)\n';
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', rule)]}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const frames = framesOf(readFileSync(new URL('./encapsulations.pcap', import.meta.url)));
    expect(await lab.send(spec, frames, 200)).toBe(27);
    await lab.ask('stop', spec.endpoint); // reads to the end
    const {threats} = await lab.ask('records');
    const sources = threats.map(([, record]) => canonicalIp(record.source_ip_address));
    expect(sources.sort()).toEqual(Object.keys(FOUND).sort());
  });
});
