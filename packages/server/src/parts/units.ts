// SPDX-License-Identifier: Apache-2.0
/** Sizes and times as flags and configuration files have them. */
const SIZES: Readonly<Record<string, number>> = {'': 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40};
const TIMES: Readonly<Record<string, number>> = {s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000};

/** `2GiB` → bytes. Undefined: not a size. */
export const bytesIn = (text: string): number | undefined => {
  const [, figure = '', unit = ''] = /^(\d+(?:\.\d+)?)(|KiB|MiB|GiB|TiB)$/.exec(text) ?? [];
  return figure === '' ? undefined : Math.round(Number(figure) * (SIZES[unit] ?? 1));
};

/** `30d` → milliseconds. Undefined: not a time. */
export const ageIn = (text: string): number | undefined => {
  const [, figure = '', unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? [];
  return figure === '' ? undefined : Number(figure) * (TIMES[unit] ?? 1);
};

/** The text that `ageIn` reads, in the largest unit that fits. */
export const ageText = (ms: number): string => {
  const [unit = 's', size = 1_000] = Object.entries(TIMES).findLast(([, size]) => ms % size === 0) ?? [];
  return `${ms / size}${unit}`;
};
