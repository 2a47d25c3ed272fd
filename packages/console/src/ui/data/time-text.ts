// SPDX-License-Identifier: Apache-2.0
/** Times and durations as people read them. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** As kubectl prints ages: `42s`, `7m`, `3h`, `5d`, `2y`. Never negative. */
export function ageText(ms: number): string {
  const age = Math.max(0, ms);
  if (age < 2 * MINUTE) return `${Math.floor(age / SECOND)}s`;
  if (age < 3 * HOUR) return `${Math.floor(age / MINUTE)}m`;
  if (age < 2 * DAY) return `${Math.floor(age / HOUR)}h`;
  if (age < 730 * DAY) return `${Math.floor(age / DAY)}d`;
  return `${Math.floor(age / (365 * DAY))}y`;
}

/** The clock of the server may be this far ahead of that of the browser. */
const SKEW = 10 * SECOND;

/** `5m ago`, `in 2h`; `now` within the last 2 seconds, and where the clocks of server and browser differ a little. */
export function relativeText(at: number, now: number): string {
  const past = now - at;
  if (past < 2 * SECOND && past > -SKEW) return 'now';
  return past > 0 ? `${ageText(past)} ago` : `in ${ageText(-past)}`;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** `2026-11-28 17:05:09`, in the time zone of the browser: sorts and lines up. */
export function absoluteText(at: number): string {
  const date = new Date(at);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** `17:05:09`. */
export const clockText = (at: number): string => absoluteText(at).slice('2026-11-28 '.length);

/** `17:05`. */
export const minuteText = (at: number): string => clockText(at).slice(0, 'HH:MM'.length);

/** The time of today, the day and the minute of other days: `17:05:09`, `11-27 17:05`. */
export function shortTimeText(at: number, now: number): string {
  const text = absoluteText(at);
  return text.slice(0, 10) === absoluteText(now).slice(0, 10)
    ? clockText(at)
    : text.slice('2026-'.length, -':09'.length);
}

/** The two largest units: `45s`, `3m 20s`, `2h 5m`, `3d 4h`. */
export function durationText(seconds: number): string {
  let left = Math.max(0, Math.round(seconds));
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0 || parts.length > 0) parts.push(`${count}${unit}`);
  }
  return parts.length === 0 ? '0s' : parts.slice(0, 2).join(' ');
}
const UNITS = [
  ['d', DAY / SECOND],
  ['h', HOUR / SECOND],
  ['m', MINUTE / SECOND],
  ['s', 1],
] as const;

/** Of RFC 3339; undefined for anything else. */
export function parseTime(text: string | undefined): number | undefined {
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}
