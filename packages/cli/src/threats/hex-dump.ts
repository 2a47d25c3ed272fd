// SPDX-License-Identifier: Apache-2.0

const PER_LINE = 16;
/** More of a payload is not printed; --json and --pcap have all of it. */
const BYTES_MAX = 512;

const asciiOf = (bytes: Buffer): string => bytes.toString('latin1').replace(/[^\x20-\x7e]/g, '.');

/** Lines of offset, hexadecimal bytes and ASCII, as `hexdump -C` has them. */
export const hexDump = (bytes: Buffer): string[] => {
  const lines: string[] = [];
  for (let at = 0; at < Math.min(bytes.length, BYTES_MAX); at += PER_LINE) {
    const part = bytes.subarray(at, Math.min(at + PER_LINE, BYTES_MAX));
    const hex = [...part].map(byte => byte.toString(16).padStart(2, '0')).join(' ');
    lines.push(`${at.toString(16).padStart(4, '0')}  ${hex.padEnd(PER_LINE * 3 - 1)}  ${asciiOf(part)}`);
  }
  if (bytes.length > BYTES_MAX) lines.push(`… ${bytes.length - BYTES_MAX} more bytes (--json and --pcap have all)`);
  return lines;
};
