// SPDX-License-Identifier: Apache-2.0
/** Figures as a reader likes them: grouped digits, binary units, hours and minutes. */

export const countText = (value: number): string => value.toLocaleString('en-US', {maximumFractionDigits: 0});

/** `1 file`, `2 files`. */
export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

export const bytesText = (bytes: number): string => {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  const value = bytes / 1024 ** power;
  return `${power === 0 ? countText(value) : value.toFixed(1)} ${UNITS[power]}`;
};

/** `< 0.01 %` for a share that would look like no loss. */
export const shareText = (part: number, whole: number): string => {
  const percent = whole <= 0 ? 0 : Math.min((100 * part) / whole, 100);
  return percent > 0 && percent < 0.01 ? '< 0.01 %' : `${percent.toFixed(2)} %`;
};

const PARTS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** The two largest units that it has: `1 h 2 min`; below a minute with a digit: `3.2 s`. */
export const durationText = (seconds: number): string => {
  if (seconds < 60) return `${seconds < 10 && !Number.isInteger(seconds) ? seconds.toFixed(1) : Math.round(seconds)} s`;
  let rest = Math.round(seconds);
  const parts = PARTS.map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return {count, text: `${count} ${unit}`};
  });
  const first = parts.findIndex(({count}) => count > 0);
  return parts
    .slice(first, first + 2)
    .filter(({count}) => count > 0)
    .map(({text}) => text)
    .join(' ');
};

const AGO = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** ` (3 minutes ago)`; empty for what is no time, or still to come. */
export const agoText = (rfc3339: string, nowMs: number): string => {
  const seconds = Math.floor((nowMs - Date.parse(rfc3339)) / 1000);
  if (Number.isNaN(seconds) || seconds < 0) return '';
  const [unit, size] = AGO.find(([, each]) => seconds >= each) ?? ['second', 1];
  const count = Math.floor(seconds / size);
  return ` (${countText(count)} ${unit}${count === 1 ? '' : 's'} ago)`;
};

/** RFC 3339 UTC → `2026-11-21 09:50:33 UTC`; anything else as it is. */
export const timeText = (rfc3339: string): string => {
  const ms = Date.parse(rfc3339);
  return Number.isNaN(ms) ? rfc3339 : `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
};
