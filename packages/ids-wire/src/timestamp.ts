// SPDX-License-Identifier: Apache-2.0
/** google.protobuf.Timestamp in JSON: RFC 3339. Inside the product a time is whole milliseconds since the epoch. */

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)$/;
const MINUTE_MS = 60_000;

/** `2024-05-27T22:22:32.892Z`; without a fraction when the milliseconds are 0. UTC. */
export const formatTimestamp = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');

const ZERO = 48;
/** The number of `count` digits from `at`; NaN where there is another character. */
const digitsAt = (text: string, at: number, count: number): number => {
  let value = 0;
  for (let i = at; i < at + count; i++) {
    const digit = text.charCodeAt(i) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
};

const SHORT = '2024-05-27T22:22:32Z'.length;
const LONG = '2024-05-27T22:22:32.892Z'.length;
/** Days that every month has; years that Date.UTC takes as they are. */
const SAFE_DAYS = 28;
const SAFE_YEAR = 100;

/** Times as formatTimestamp writes them, ten times as fast; undefined: decide by the pattern. */
const parseOwnForm = (text: string): number | undefined => {
  const {length} = text;
  if ((length !== SHORT && length !== LONG) || text[length - 1] !== 'Z') return undefined;
  if (text[4] !== '-' || text[7] !== '-' || text[10] !== 'T' || text[13] !== ':' || text[16] !== ':') return undefined;
  if (length === LONG && text[19] !== '.') return undefined;
  const [year, month, day] = [digitsAt(text, 0, 4), digitsAt(text, 5, 2), digitsAt(text, 8, 2)];
  const [hour, minute, second] = [digitsAt(text, 11, 2), digitsAt(text, 14, 2), digitsAt(text, 17, 2)];
  const fraction = length === LONG ? digitsAt(text, 20, 3) : 0;
  const plain = year >= SAFE_YEAR && month >= 1 && month <= 12 && day >= 1 && day <= SAFE_DAYS;
  if (!(plain && hour <= 23 && minute <= 59 && second <= 59 && fraction >= 0)) return undefined;
  return Date.UTC(year, month - 1, day, hour, minute, second) + fraction;
};

/**
 * Milliseconds with a fraction that carries the nanoseconds as far as a double can, from RFC 3339 with `Z` or an offset.
 * Undefined for a text or a date that is none.
 */
export const parseTimestamp = (text: string): number | undefined => {
  const own = parseOwnForm(text);
  if (own !== undefined) return own;
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

/** Whole microseconds since the epoch. Undefined like parseTimestamp. */
export const parseMicros = (text: string): number | undefined => {
  const ms = parseTimestamp(text);
  if (ms === undefined) return undefined;
  const [, fraction = ''] = /\.(\d{1,9})/.exec(text) ?? [];
  return Math.floor(ms / 1000) * 1_000_000 + Number(fraction.padEnd(6, '0').slice(0, 6));
};

/** `2024-05-27T22:22:32.892113Z`; always six digits of a second. UTC. */
export const formatMicros = (micros: number): string => {
  const seconds = Math.floor(micros / 1_000_000);
  const rest = String(micros - seconds * 1_000_000).padStart(6, '0');
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${rest}Z`;
};
