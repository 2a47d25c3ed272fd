// SPDX-License-Identifier: Apache-2.0
/** Numbers as people read them: one form for each kind, on all pages. */

/** By the most digits after the point. Made once: `toLocaleString` makes one for each number, and cells have many. */
const FORMATS = [0, 1, 2, 3].map(digits => new Intl.NumberFormat('en', {maximumFractionDigits: digits}));
const few = (value: number, digits: 0 | 1 | 2 | 3): string => (FORMATS[digits] as Intl.NumberFormat).format(value);

/** `12,300`. */
export const numberText = (value: number): string => few(value, 3);

/** `1 rule`, `12,300 rules`. */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${numberText(count)} ${count === 1 ? one : many}`;

/** `0/s`, `0.43/s`, `12,300/s`. */
export const rateText = (perSecond: number): string => `${few(perSecond, perSecond < 10 ? 2 : 0)}/s`;

/** Of a ratio: `0%`, `<0.01%`, `0.25%`, `12%`. */
export function percentText(ratio: number): string {
  const percent = ratio * 100;
  if (percent > 0 && percent < 0.01) return '<0.01%';
  return `${few(percent, percent < 10 ? 2 : 0)}%`;
}

const BYTES = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
/** `900 B`, `1.5 KiB`, `120 MiB`. */
export function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1_024 && unit < BYTES.length - 1) [value, unit] = [value / 1_024, unit + 1];
  return `${few(value, unit === 0 || value >= 100 ? 0 : 1)} ${BYTES[unit]}`;
}

const PREFIXES = ['', 'k', 'M', 'G', 'T'];
/** `950`, `1.2k`, `34M`. */
export function shortNumber(value: number): string {
  let [scaled, at] = [value, 0];
  while (scaled >= 1_000 && at < PREFIXES.length - 1) [scaled, at] = [scaled / 1_000, at + 1];
  return `${few(scaled, scaled < 10 ? 1 : 0)}${PREFIXES[at]}`;
}
