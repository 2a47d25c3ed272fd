// SPDX-License-Identifier: Apache-2.0
/** IP addresses in their usual spellings: no leading zeros in IPv4 (octal for some programs), no zones. Ref: RFC 4291, RFC 5952. */
import ipaddr from 'ipaddr.js';

export type Ip = {
  /** 16 of them; an IPv4 address is in its IPv4-mapped form. */
  readonly bytes: Uint8Array;
  /** Written as IPv6 (`::ffff:192.0.2.1`), but an IPv4 address. */
  readonly mapped: boolean;
  /** Written as IPv4. */
  readonly v4: boolean;
};

/** Undefined for a text that is not an address. */
export const parseIp = (text: string): Ip | undefined => {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) {
    return {
      bytes: Uint8Array.from(ipaddr.IPv4.parse(text).toIPv4MappedAddress().toByteArray()),
      mapped: false,
      v4: true,
    };
  }
  if (/[^0-9a-fA-F:.]/.test(text) || !ipaddr.IPv6.isValid(text)) return undefined;
  const address = ipaddr.IPv6.parse(text);
  return {bytes: Uint8Array.from(address.toByteArray()), mapped: address.isIPv4MappedAddress(), v4: false};
};

/** RFC 5952 text of 16 bytes; an IPv4-mapped address as IPv4. */
export const formatIp = (bytes: Uint8Array): string => {
  const address = new ipaddr.IPv6([...bytes]);
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : address.toRFC5952String();
};

/** Of a header of IPv4, TCP or UDP, in parts; all but the last have an even number of bytes. Ref: RFC 1071. */
export const internetChecksum = (...parts: readonly Uint8Array[]): number => {
  let sum = 0;
  for (const part of parts)
    for (let at = 0; at < part.length; at += 2) sum += ((part[at] ?? 0) << 8) + (part[at + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
};
