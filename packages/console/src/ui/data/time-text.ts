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

/** `5m ago`, `in 2h`; `now` within 2 seconds. */
export function relativeText(at: number, now: number): string {
  const past = now - at;
  if (Math.abs(past) < 2 * SECOND) return 'now';
  return past > 0 ? `${ageText(past)} ago` : `in ${ageText(-past)}`;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** `2026-11-28 17:05:09`, in the time zone of the browser: sorts and lines up. */
export function absoluteText(at: number): string {
  const date = new Date(at);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** Of RFC 3339; undefined for anything else. */
export function parseTime(text: string | undefined): number | undefined {
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}
