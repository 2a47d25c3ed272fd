// SPDX-License-Identifier: Apache-2.0
/** IP networks of flags: their canonical text and the numbers that they span. Loads little: the server reads its flags with it. */
import {formatIp, type Ip, parseIp} from '@palisade/ids-wire/ip';

export type AddressRange = {readonly first: bigint; readonly last: bigint};
export type Network = AddressRange & {
  /** Canonical, always with its prefix length. */
  readonly word: string;
  readonly v4: boolean;
  /** The text names an address inside the network instead of its first one. */
  readonly hasHostBits: boolean;
};

const BYTES = 16;
export const V4_BITS = 32;
export const V6_BITS = 128;

/** Of an address; an IPv4 address is the last 4 of its 16 bytes. */
export const addressNumber = ({bytes, v4}: Ip): bigint =>
  BigInt(`0x${Buffer.from(v4 ? bytes.subarray(BYTES - 4) : bytes).toString('hex')}`);

const textOf = (first: bigint, {bytes, v4}: Ip): string => {
  const hex = first.toString(16).padStart(v4 ? 8 : 2 * BYTES, '0');
  const whole = v4 ? Buffer.concat([bytes.subarray(0, BYTES - 4), Buffer.from(hex, 'hex')]) : Buffer.from(hex, 'hex');
  return formatIp(whole);
};

/** `ADDRESS/PREFIX`, or an address alone; undefined for any other text. */
export const parseNetwork = (text: string): Network | undefined => {
  const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const ip = parseIp(address);
  if (ip === undefined || ip.mapped) return undefined;
  const all = ip.v4 ? V4_BITS : V6_BITS;
  const bits = prefix === undefined ? all : Number(prefix);
  if (bits > all || (prefix?.length ?? 0) > String(bits).length) return undefined;
  const size = 1n << BigInt(all - bits);
  const value = addressNumber(ip);
  const first = value - (value % size);
  const word = `${textOf(first, ip)}/${bits}`;
  return {word, v4: ip.v4, first, last: first + size - 1n, hasHostBits: first !== value};
};
