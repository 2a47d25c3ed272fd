// SPDX-License-Identifier: Apache-2.0
/** google.protobuf.Timestamp in JSON: RFC 3339. Inside the product a time is whole milliseconds since the epoch. */

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)$/;
const MINUTE_MS = 60_000;

/** `2024-05-27T22:22:32.892Z`; without a fraction when the milliseconds are 0. UTC. */
export const formatTimestamp = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');

/**
 * Milliseconds with a fraction that carries the nanoseconds as far as a double can, from RFC 3339 with `Z` or an offset.
 * Undefined for a text or a date that is none.
 */
export const parseTimestamp = (text: string): number | undefined => {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', offset = 'Z'] = match;
  const parts = [year, month, day, hour, minute, second].map(Number);
  const [y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0] = parts;
  const ms = Date.UTC(y, mo - 1, d, h, mi, s);
  const back = new Date(ms);
  if (back.getUTCMonth() !== mo - 1 || back.getUTCDate() !== d || h > 23 || mi > 59 || s > 59) return undefined;
  const zone = /^([+-])(\d\d):(\d\d)$/.exec(offset);
  const minutes = zone === null ? 0 : (Number(zone[2]) * 60 + Number(zone[3])) * (zone[1] === '-' ? -1 : 1);
  return ms + Number(`0.${fraction.padEnd(1, '0')}`) * 1000 - minutes * MINUTE_MS;
};
