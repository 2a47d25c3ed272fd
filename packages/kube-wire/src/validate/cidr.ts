// SPDX-License-Identifier: Apache-2.0
/**
 * Ranges of IP addresses as Kubernetes reads them: sloppy for what is stored, strict for what is written anew.
 * Ref: k8s.io/utils net/parse.go (ParseCIDRSloppy), Go net/netip ParsePrefix, apimachinery pkg/util/validation/ip.go.
 */
import {goQuote} from '../go/quote.ts';
import {type FieldError, invalid} from './field-error.ts';
import {formatIp, type IpBytes, parseIpSloppy, parseIpStrict} from './ip.ts';

const IPV4_BITS_BEFORE = 96;

export type IpRange = {
  /** As it was written, with the bits behind the prefix. */
  readonly address: IpBytes;
  /** The first address of the range. */
  readonly base: IpBytes;
  /** Of the 32 bits of an IPv4 address, or of the 128 of any other. */
  readonly prefix: number;
  /** Written as an IPv4 address. */
  readonly v4: boolean;
};

/** Reads a range, `undefined` when it is none. */
export function parseCidrSloppy(text: string): IpRange | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const bits = text.slice(slash + 1);
  const address = parseIpSloppy(text.slice(0, slash));
  if (address === undefined || !/^\d+$/.test(bits)) return undefined;
  const v4 = !text.slice(0, slash).includes(':');
  const prefix = Number(bits);
  if (prefix > (v4 ? 32 : 128)) return undefined;
  return {address, base: masked(address, bitsOf({prefix, v4})), prefix, v4};
}

/** Of the 128 bits in which every address is kept. */
const bitsOf = ({prefix, v4}: Pick<IpRange, 'prefix' | 'v4'>): number => (v4 ? prefix + IPV4_BITS_BEFORE : prefix);

export function isInRange(range: IpRange, ip: IpBytes): boolean {
  const base = masked(ip, bitsOf(range));
  return range.base.every((byte, index) => byte === base[index]);
}

function masked(address: IpBytes, bits: number): IpBytes {
  return address.map((byte, index) => {
    const kept = Math.min(8, Math.max(0, bits - 8 * index));
    return byte & (0xff << (8 - kept)) & 0xff;
  });
}

const isMapped = (bytes: IpBytes): boolean => !formatIp(bytes).includes(':');

/** Canonical text, as Go prints net.IPNet: an IPv4-mapped range as the IPv4 one. */
export function formatCidr({base, prefix, v4}: IpRange): string {
  return `${formatIp(base)}/${!v4 && isMapped(base) ? prefix - IPV4_BITS_BEFORE : prefix}`;
}

/** The same with the whole address, as Go prints netip.Prefix; undefined for what its strict reader refuses. */
function strictOf(
  text: string,
): {readonly v4: boolean; readonly mapped: boolean; readonly canonical: string} | undefined {
  const slash = text.lastIndexOf('/');
  const ip = parseIpStrict(text.slice(0, slash));
  const bits = text.slice(slash + 1);
  if (ip === undefined || (bits.length > 1 && bits.startsWith('0'))) return undefined;
  return {v4: ip.v4, mapped: ip.mapped, canonical: `${formatIp(ip.bytes)}/${bits}`};
}

const equal = (a: IpBytes, b: IpBytes): boolean => Buffer.compare(a, b) === 0;

/** A range in a field that is older than strict validation; strict for new values, as v1.36 is by default. */
export function validateCidr(path: string, value: string): FieldError[] {
  const range = parseCidrSloppy(value);
  if (range === undefined)
    return [invalid(path, value, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')];
  const strict = strictOf(value);
  if (strict === undefined) return [invalid(path, value, 'must not have leading 0s in IP or prefix length')];
  if (strict.mapped) return [invalid(path, value, 'must not have an IPv4-mapped IPv6 address')];
  if (equal(range.address, range.base)) return [];
  return [invalid(path, value, 'must not have bits set beyond the prefix length')];
}

/** Advice about spellings that are read but not recommended; none for what is no range. */
export function cidrWarnings(path: string, value: string): string[] {
  const range = parseCidrSloppy(value);
  if (range === undefined) return [];
  const warnings: string[] = [];
  const quoted = goQuote(value);
  if (!equal(range.address, range.base)) {
    const single = goQuote(`${formatIp(range.address)}/${range.v4 ? 32 : 128}`);
    warnings.push(
      `${path}: CIDR value ${quoted} is ambiguous in this context (should be ${goQuote(formatCidr(range))} or ${single}?)`,
    );
  }
  const strict = strictOf(value);
  if (strict === undefined || strict.mapped)
    warnings.push(`${path}: non-standard CIDR value ${quoted} is invalid: use ${goQuote(formatCidr(range))}`);
  if (warnings.length > 0 || strict === undefined || strict.v4 || strict.canonical === value) return warnings;
  return [`${path}: IPv6 CIDR value ${quoted} should be in RFC 5952 canonical format (${goQuote(strict.canonical)})`];
}
