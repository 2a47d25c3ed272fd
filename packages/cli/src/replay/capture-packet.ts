// SPDX-License-Identifier: Apache-2.0
/** What the readers of both formats give, and how they fail. */

export type CapturedPacket = {
  /** Of the interface. Ref: https://www.tcpdump.org/linktypes.html. */
  readonly linkType: number;
  /** From the header of the link layer on. */
  readonly bytes: Buffer;
  /** Bytes it had on the wire; more than `bytes` has where the capture kept only the start of packets. */
  readonly wireBytes: number;
};

/** A packet whose place in the file is clear, but not what it is. */
export type UnreadablePacket = {readonly fault: string};

export type CaptureEntry = CapturedPacket | UnreadablePacket;

/** The file is no capture, or cannot be read any further; says where and why. */
export class CaptureFileError extends Error {
  override readonly name = 'CaptureFileError';
}

/** Ref: libpcap 1.10, pcap-int.h, MAXIMUM_SNAPLEN. */
export const PACKET_BYTES_MAX = 262_144;

export const cutOff = (at: number, within: string): CaptureFileError =>
  new CaptureFileError(`cut off in ${within} at byte ${at}`);

export const damaged = (at: number, what: string): CaptureFileError =>
  new CaptureFileError(`damaged at byte ${at}: ${what}`);

/** Numbers in the byte order of the machine that wrote the file. */
export type Numbers = {
  readonly u16: (from: Buffer, at: number) => number;
  readonly u32: (from: Buffer, at: number) => number;
};

export const LITTLE: Numbers = {u16: (from, at) => from.readUInt16LE(at), u32: (from, at) => from.readUInt32LE(at)};
export const BIG: Numbers = {u16: (from, at) => from.readUInt16BE(at), u32: (from, at) => from.readUInt32BE(at)};
