// SPDX-License-Identifier: Apache-2.0
/** Reads capture files: classic pcap (both byte orders, µs and ns) and pcapng (enhanced packet blocks). Ethernet only. */

export type CapturedFrame = {/** Seconds since the epoch. */ readonly time: number; readonly bytes: Uint8Array};

/** The file is not a capture that can be sent; says what it is instead. */
export class CaptureFileError extends Error {
  override readonly name = 'CaptureFileError';
}

const LINKTYPE_ETHERNET = 1;
const MAGIC = {micro: 0xa1b2c3d4, nano: 0xa1b23c4d, ng: 0x0a0d0d0a, ngOrder: 0x1a2b3c4d} as const;
const BLOCK = {interface: 1, enhancedPacket: 6} as const;

const view = (file: Uint8Array): DataView => new DataView(file.buffer, file.byteOffset, file.byteLength);

const mustBeEthernet = (linkType: number): void => {
  if (linkType !== LINKTYPE_ETHERNET)
    throw new CaptureFileError(`link type ${linkType}: only Ethernet captures (link type 1) can be sent as VXLAN`);
};

const readClassic = (file: Uint8Array, little: boolean, nano: boolean): CapturedFrame[] => {
  const data = view(file);
  mustBeEthernet(data.getUint32(20, little) & 0xffff);
  const frames: CapturedFrame[] = [];
  for (let at = 24; at < file.length; ) {
    if (at + 16 > file.length) throw new CaptureFileError(`cut off in the packet header at byte ${at}`);
    const size = data.getUint32(at + 8, little);
    if (at + 16 + size > file.length) throw new CaptureFileError(`cut off in the packet at byte ${at}`);
    const fraction = data.getUint32(at + 4, little) / (nano ? 1e9 : 1e6);
    frames.push({time: data.getUint32(at, little) + fraction, bytes: file.subarray(at + 16, at + 16 + size)});
    at += 16 + size;
  }
  return frames;
};

const readNg = (file: Uint8Array): CapturedFrame[] => {
  const data = view(file);
  const little = data.getUint32(8, true) === MAGIC.ngOrder;
  if (!little && data.getUint32(8, false) !== MAGIC.ngOrder)
    throw new CaptureFileError('pcapng with an unknown byte order');
  const frames: CapturedFrame[] = [];
  for (let at = 0; at + 12 <= file.length; ) {
    const type = data.getUint32(at, little);
    const size = type === MAGIC.ng ? data.getUint32(at + 4, little) : data.getUint32(at + 4, little);
    if (size < 12 || at + size > file.length) throw new CaptureFileError(`cut off in the block at byte ${at}`);
    if (type === BLOCK.interface) mustBeEthernet(data.getUint16(at + 8, little));
    if (type === BLOCK.enhancedPacket) {
      const ticks = data.getUint32(at + 12, little) * 2 ** 32 + data.getUint32(at + 16, little);
      const captured = data.getUint32(at + 20, little);
      frames.push({time: ticks / 1e6, bytes: file.subarray(at + 28, at + 28 + captured)});
    }
    at += size;
  }
  return frames;
};

/** Frames in file order. Throws CaptureFileError. */
export const readCapture = (file: Uint8Array): CapturedFrame[] => {
  if (file.length < 24) throw new CaptureFileError('not a capture file: shorter than its header');
  const data = view(file);
  const [big, small] = [data.getUint32(0, false), data.getUint32(0, true)];
  if (big === MAGIC.ng) return readNg(file);
  for (const little of [true, false]) {
    const magic = little ? small : big;
    if (magic === MAGIC.micro || magic === MAGIC.nano) return readClassic(file, little, magic === MAGIC.nano);
  }
  throw new CaptureFileError('not a pcap or pcapng file');
};
