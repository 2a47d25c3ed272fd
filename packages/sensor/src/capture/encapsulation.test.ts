// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {ENCAPSULATIONS} from './encapsulation.ts';

const parserOf = (name: string) => {
  const found = ENCAPSULATIONS.find(one => one.name === name);
  if (found === undefined) throw new Error(`no encapsulation ${name}`);
  return found.parse;
};
const vxlan = parserOf('VXLAN');
const geneve = parserOf('GENEVE');

test('each encapsulation has its registered port', () => {
  expect(ENCAPSULATIONS.map(({name, port}) => [name, port])).toEqual([
    ['VXLAN', 4789],
    ['GENEVE', 6081],
  ]);
});

test('VXLAN: the I flag and at least an Ethernet header behind the 8 bytes', () => {
  const datagram = (flags: number, inner: number): Buffer => {
    const bytes = Buffer.alloc(8 + inner);
    bytes.writeUInt8(flags, 0);
    bytes.writeUInt32BE(0x010203 * 256, 4);
    return bytes;
  };
  const found = {vni: 0x010203, start: 8, madeUpHeader: undefined};
  expect([vxlan(datagram(0x08, 14)), vxlan(datagram(0xff, 1500))]).toEqual([found, found]);
  const malformed = [datagram(0x08, 13), datagram(0xf7, 100), Buffer.alloc(0), Buffer.from([8])];
  expect(malformed.map(vxlan)).toEqual(malformed.map(() => undefined));
});

/** Everything but `type` and the payload is the usual by default. */
const packet = ({
  version = 0,
  optionWords = 0,
  flags = 0,
  type = 0x6558,
  vni = 0x010203,
  options = optionWords * 4,
  payload = Buffer.alloc(14),
}: {
  version?: number;
  /** As the header says. */
  optionWords?: number;
  flags?: number;
  type?: number;
  vni?: number;
  /** Bytes that are there. */
  options?: number;
  payload?: Buffer;
}): Buffer => {
  const header = Buffer.alloc(8);
  header.writeUInt8((version << 6) | optionWords, 0);
  header.writeUInt8(flags, 1);
  header.writeUInt16BE(type, 2);
  header.writeUInt32BE(vni * 256, 4);
  return Buffer.concat([header, Buffer.alloc(options, 0xee), payload]);
};

const ip = (version: number, bytes: number): Buffer => {
  const packetBytes = Buffer.alloc(bytes);
  packetBytes.writeUInt8(version << 4, 0);
  return packetBytes;
};

describe('43-1 GENEVE', () => {
  test('43-1 a frame follows the header and the options, which are skipped by their length, unknown critical ones too', () => {
    expect(geneve(packet({}))).toEqual({vni: 0x010203, start: 8, madeUpHeader: undefined});
    expect(geneve(packet({optionWords: 8, flags: 0x40, vni: 0xffffff}))).toEqual({
      vni: 0xffffff,
      start: 40,
      madeUpHeader: undefined,
    });
    expect(geneve(packet({optionWords: 63}))?.start).toBe(8 + 252);
  });

  test.each([
    ['IPv4', 4, 20, 0x0800],
    ['IPv6', 6, 40, 0x86dd],
  ] as const)('43-1 a bare %s packet gets an Ethernet header with its EtherType', (_, version, bytes, type) => {
    const found = geneve(packet({type, optionWords: 8, vni: 0, payload: ip(version, bytes)}));
    expect([found?.vni, found?.start, found?.madeUpHeader?.toString('hex')]).toEqual([
      0,
      40,
      `020000000002020000000001${type.toString(16).padStart(4, '0')}`,
    ]);
  });

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['less than a header', packet({}).subarray(0, 7)],
    ['version 1', packet({version: 1})],
    ['a control message', packet({flags: 0x80})],
    ['options that end after the datagram', packet({optionWords: 10, options: 8})],
    ['options and nothing behind them', packet({optionWords: 2, payload: Buffer.alloc(0)})],
    ['less than an Ethernet header', packet({payload: Buffer.alloc(13)})],
    ['less than an IPv4 header', packet({type: 0x0800, payload: ip(4, 19)})],
    ['less than an IPv6 header', packet({type: 0x86dd, payload: ip(6, 39)})],
    ['IPv6 that says it is IPv4', packet({type: 0x0800, payload: ip(6, 40)})],
    ['IPv4 that says it is IPv6', packet({type: 0x86dd, payload: ip(4, 40)})],
    ['an EtherType that mirrors do not send', packet({type: 0x0806, payload: Buffer.alloc(60)})],
  ])('43-1 %s is malformed', (_, datagram) => {
    expect(geneve(datagram)).toBeUndefined();
  });
});
