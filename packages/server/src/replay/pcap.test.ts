// SPDX-License-Identifier: Apache-2.0
import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {CaptureFileError, readCapture} from './pcap.ts';
import {encapsulate} from './vxlan-sender.ts';

const classic = (little: boolean, linkType = 1): Buffer => {
  const file = Buffer.alloc(24 + 16 + 4);
  const u32 = (value: number, at: number) => (little ? file.writeUInt32LE(value, at) : file.writeUInt32BE(value, at));
  u32(0xa1b2c3d4, 0);
  u32(linkType, 20);
  u32(7, 24);
  u32(500_000, 28);
  u32(4, 32);
  u32(4, 36);
  file.set([1, 2, 3, 4], 40);
  return file;
};

describe('readCapture', () => {
  test.each([true, false])('classic pcap, little endian %s', little => {
    expect(readCapture(classic(little))).toEqual([{time: 7.5, bytes: Buffer.from([1, 2, 3, 4])}]);
  });

  test('a capture that is cut off, of another link type or no capture at all is refused with the reason', () => {
    expect(() => readCapture(classic(true).subarray(0, 42))).toThrow(/cut off/);
    expect(() => readCapture(classic(true, 113))).toThrow(/link type 113/);
    expect(() => readCapture(Buffer.alloc(30))).toThrow(CaptureFileError);
  });

  test('the capture of the example holds whole Ethernet frames of the shop', () => {
    const frames = readCapture(readFileSync(new URL('../../../../examples/shop/traffic/attack.pcap', import.meta.url)));
    expect(frames.length).toBeGreaterThan(100);
    expect(frames.every(f => f.bytes.length >= 42)).toBe(true);
  });
});

test('encapsulate writes the VXLAN header of RFC 7348', () => {
  expect([...encapsulate(0x123456, Buffer.from([0xff]))]).toEqual([8, 0, 0, 0, 0x12, 0x34, 0x56, 0, 0xff]);
  expect([...encapsulate(0xffffff, Buffer.alloc(0))]).toEqual([8, 0, 0, 0, 0xff, 0xff, 0xff, 0]);
});
