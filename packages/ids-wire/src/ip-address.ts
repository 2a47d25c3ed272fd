// SPDX-License-Identifier: Apache-2.0
/**
 * IP addresses and CIDR blocks by value. An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) is the IPv4 address in it, as in Go's net.IP;
 * so `::/0` holds no IPv4 address, and `::ffff:0:0/96` is `0.0.0.0/0`. Leading zeros in IPv4 (octal for some programs) and zones are
 * refused. Ref: RFC 4291, RFC 4632, RFC 5952.
 */
import {formatIp, parseIp} from './ip.ts';

/** An address as hexadecimal digits, 8 (IPv4) or 32: equal for equal addresses. */
type IpDigits = string;
const V4_DIGITS = 8;
const MAPPED_BITS = 96;
const BITS_PER_DIGIT = 4;

export type IpBlock = {
  /** Of the base address. */
  readonly digits: IpDigits;
  /** In bits of the address family of `digits`. */
  readonly prefix: number;
};

const toDigits = (bytes: Uint8Array): IpDigits =>
  Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');

const digitsOf = (text: string): IpDigits | undefined => {
  const ip = parseIp(text);
  return ip === undefined ? undefined : toDigits(ip.v4 || ip.mapped ? ip.bytes.subarray(12) : ip.bytes);
};

/** Sorts by value, IPv4 before IPv6; equal for every spelling of an address. Undefined: no address. */
export const ipSortKey = (text: string): string | undefined => {
  const digits = digitsOf(text);
  return digits === undefined ? undefined : `${digits.length === V4_DIGITS ? 4 : 6}${digits}`;
};

/** An address (its own block), or `ADDRESS/PREFIX`; bits behind the prefix do not count. Undefined: neither. */
export const parseIpBlock = (text: string): IpBlock | undefined => {
  const [address = '', length, ...rest] = text.split('/');
  const ip = parseIp(address);
  if (ip === undefined || rest.length > 0) return undefined;
  const bits = ip.v4 ? 32 : 128;
  const prefix = length === undefined ? bits : Number(/^(0|[1-9]\d{0,2})$/.test(length) ? length : Number.NaN);
  if (!(prefix <= bits)) return undefined;
  if (ip.v4) return {digits: toDigits(ip.bytes.subarray(12)), prefix};
  if (ip.mapped && prefix >= MAPPED_BITS)
    return {digits: toDigits(ip.bytes.subarray(12)), prefix: prefix - MAPPED_BITS};
  return {digits: toDigits(ip.bytes), prefix};
};

/** Both ends belong to it; 16 bytes each, IPv4 in its mapped form. */
export type IpRange = {readonly low: Uint8Array; readonly high: Uint8Array};

const BITS = 128n;
const MAPPED_LOW = 0xffffn << 32n;
const MAPPED_HIGH = (0xffffn << 32n) | 0xffffffffn;

const toBytes = (value: bigint): Uint8Array =>
  Uint8Array.from({length: 16}, (_, i) => Number((value >> BigInt(8 * (15 - i))) & 0xffn));

/** The addresses of a block as ranges of their bytes: two where IPv4, which does not belong to an IPv6 block, lies inside of it. */
export const ipRanges = ({digits, prefix}: IpBlock): readonly IpRange[] => {
  const isV4 = digits.length === V4_DIGITS;
  const base = BigInt(`0x${digits}`) | (isV4 ? MAPPED_LOW : 0n);
  const free = BITS - BigInt(prefix + (isV4 ? MAPPED_BITS : 0));
  const low = (base >> free) << free;
  const high = low | ((1n << free) - 1n);
  const range = (from: bigint, to: bigint): IpRange[] => (from > to ? [] : [{low: toBytes(from), high: toBytes(to)}]);
  if (isV4 || high < MAPPED_LOW || low > MAPPED_HIGH) return range(low, high);
  return [...range(low, MAPPED_LOW - 1n), ...range(MAPPED_HIGH + 1n, high)];
};

/** False for a text that is no address. */
export const isInBlock = ({digits, prefix}: IpBlock, text: string): boolean => {
  const other = digitsOf(text);
  if (other === undefined || other.length !== digits.length) return false;
  const drop = BigInt(digits.length * BITS_PER_DIGIT - prefix);
  return BigInt(`0x${other}`) >> drop === BigInt(`0x${digits}`) >> drop;
};

/** RFC 5952 text of an address; an IPv4-mapped one keeps its form, `::ffff:192.0.2.1`. What is no address stays as it is. */
export const canonicalIp = (text: string): string => {
  const ip = parseIp(text);
  if (ip === undefined) return text;
  return ip.mapped ? `::ffff:${formatIp(ip.bytes)}` : formatIp(ip.bytes);
};
