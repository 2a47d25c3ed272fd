// SPDX-License-Identifier: Apache-2.0
/**
 * IP addresses as Kubernetes reads them: a sloppy reader (leading zeros count as decimal) for what is stored, a strict
 * one for what is written anew, and values to compare by.
 * Ref: k8s.io/utils net/parse.go (ParseIPSloppy), Go net/netip ParseAddr, apimachinery pkg/util/validation/ip.go.
 */
import {type FieldError, invalid} from './field-error.ts';

/** 16 bytes; an IPv4 address is held in its IPv4-mapped form, so that equal addresses have equal bytes. */
export type IpBytes = Uint8Array;

/** Reads an address, `undefined` when it is none. Zones are refused. */
export function parseIpSloppy(text: string): IpBytes | undefined {
  const kind = /[.:]/.exec(text)?.[0];
  if (kind === '.') return readIpv4(text, false);
  return kind === ':' ? readIpv6(text, false) : undefined;
}

export type StrictIp = {readonly bytes: IpBytes; readonly mapped: boolean; readonly v4: boolean};

/** Reads an address as Go's netip does: no leading zeros, at most four digits a group. Zones are refused. */
export function parseIpStrict(text: string): StrictIp | undefined {
  const kind = /[.:]/.exec(text)?.[0];
  const bytes = kind === '.' ? readIpv4(text, true) : kind === ':' ? readIpv6(text, true) : undefined;
  if (bytes === undefined) return undefined;
  return {bytes, v4: kind === '.', mapped: kind === ':' && isV4(bytes)};
}

function readIpv4(text: string, strict: boolean): IpBytes | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  const bytes = new Uint8Array(16);
  bytes[10] = bytes[11] = 0xff;
  for (const [i, part] of parts.entries()) {
    if (!/^\d+$/.test(part) || Number(part) > 255) return undefined;
    if (strict && part.length > 1 && part.startsWith('0')) return undefined;
    bytes[12 + i] = Number(part);
  }
  return bytes;
}

function readIpv6(text: string, strict: boolean): IpBytes | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = readGroups(halves[0] as string, strict, halves.length === 1);
  const tail = halves.length === 2 ? readGroups(halves[1] as string, strict, true) : [];
  if (head === undefined || tail === undefined) return undefined;
  const length = head.length + tail.length;
  if (halves.length === 1 ? length !== 16 : length > 14) return undefined;
  const bytes = new Uint8Array(16);
  bytes.set(head);
  bytes.set(tail, 16 - tail.length);
  return bytes;
}

/** The bytes of colon-separated groups; the last one may be an IPv4 address when `last` is set. */
function readGroups(text: string, strict: boolean, last: boolean): number[] | undefined {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [i, group] of groups.entries()) {
    if (group.includes('.')) {
      if (!last || i !== groups.length - 1) return undefined;
      const v4 = readIpv4(group, strict);
      if (v4 === undefined) return undefined;
      bytes.push(...v4.subarray(12));
    } else {
      const digits = strict ? /^[0-9a-fA-F]{1,4}$/ : /^[0-9a-fA-F]+$/;
      const value = digits.test(group) ? Number.parseInt(group, 16) : Number.NaN;
      if (!(value <= 0xffff)) return undefined;
      bytes.push(value >> 8, value & 0xff);
    }
  }
  return bytes;
}

function isV4(bytes: IpBytes): boolean {
  for (let i = 0; i < 10; i++) if (bytes[i] !== 0) return false;
  return bytes[10] === 0xff && bytes[11] === 0xff;
}

/** Canonical text (RFC 5952; IPv4-mapped as IPv4), as Go prints net.IP. */
export function formatIp(bytes: IpBytes): string {
  if (isV4(bytes)) return bytes.subarray(12).join('.');
  const groups = Array.from({length: 8}, (_, i) => ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0));
  let [start, length] = [-1, 1];
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (end < 8 && groups[end] === 0) end++;
    if (end - i > length) [start, length] = [i, end - i];
    if (end > i) i = end;
  }
  const text = (part: readonly number[]) => part.map(g => g.toString(16)).join(':');
  return start < 0 ? text(groups) : `${text(groups.slice(0, start))}::${text(groups.slice(start + length))}`;
}

/** Equal for two spellings of one address; `undefined` for what is none. */
export function ipKey(text: string): string | undefined {
  const bytes = parseIpSloppy(text);
  return bytes === undefined ? undefined : formatIp(bytes);
}

/** An address in a field that is older than strict validation; strict for new values, as v1.36 is by default. */
export function validateIp(path: string, value: string): FieldError[] {
  const origin = 'format=ip-sloppy';
  if (parseIpSloppy(value) === undefined) {
    return [invalid(path, value, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)', origin)];
  }
  const strict = parseIpStrict(value);
  if (strict === undefined) return [invalid(path, value, 'must not have leading 0s', origin)];
  return strict.mapped ? [invalid(path, value, 'must not be an IPv4-mapped IPv6 address', origin)] : [];
}

/** Ranges that no endpoint may be in. Ref: pkg/apis/core/validation ValidateEndpointIP. */
export function validateEndpointIp(path: string, value: string): FieldError[] {
  const bytes = parseIpSloppy(value);
  if (bytes === undefined) return [invalid(path, value, 'must be a valid IP address', 'format=endpoint-ip')];
  const faults: string[] = [];
  const b = (i: number): number => bytes[i] ?? 0;
  const v4 = isV4(bytes);
  const text = formatIp(bytes);
  if (text === '0.0.0.0' || text === '::') faults.push(`may not be unspecified (${value})`);
  if (v4 ? b(12) === 127 : text === '::1') {
    faults.push('may not be in the loopback range (127.0.0.0/8, ::1/128)');
  }
  if (v4 ? b(12) === 169 && b(13) === 254 : b(0) === 0xfe && (b(1) & 0xc0) === 0x80) {
    faults.push('may not be in the link-local range (169.254.0.0/16, fe80::/10)');
  }
  if (v4 ? b(12) === 224 && b(13) === 0 && b(14) === 0 : b(0) === 0xff && (b(1) & 0x0f) === 0x02) {
    faults.push('may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)');
  }
  return faults.map(detail => invalid(path, value, detail, 'format=endpoint-ip'));
}

/** Advice about spellings that are read but not recommended. `value` must be an address. */
export function ipWarnings(path: string, value: string): string[] {
  const bytes = parseIpSloppy(value);
  if (bytes === undefined) return [];
  const canonical = formatIp(bytes);
  const strict = parseIpStrict(value);
  if (strict === undefined || strict.mapped) {
    return [`${path}: non-standard IP address ${JSON.stringify(value)} is invalid: use ${JSON.stringify(canonical)}`];
  }
  if (strict.v4 || canonical === value) return [];
  return [
    `${path}: IPv6 address ${JSON.stringify(value)} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`,
  ];
}
