// SPDX-License-Identifier: Apache-2.0
/** The parts of the URL of a file: `eve:/var/log/eve.json?maxBytes=100MiB&keep=10`. */

const UNITS: Readonly<Record<string, number>> = {'': 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30};
export const MAX_BYTES_DEFAULT = '100MiB';
export const KEEP_DEFAULT = '10';
/** Lines hold payloads, addresses and users: for the user of the server alone. */
export const MODE_DEFAULT = '0600';

/** `100MiB` → bytes. Undefined: not a size. */
export const bytesIn = (text: string): number | undefined => {
  const [, figure = '', unit = ''] = /^(\d{1,12})(|KiB|MiB|GiB)$/.exec(text) ?? [];
  return figure === '' ? undefined : Number(figure) * (UNITS[unit] ?? 1);
};

/** Of `eve:/var/log/eve.json`. Undefined: its escapes are no text. */
export const pathOf = (url: URL): string | undefined => {
  try {
    return decodeURIComponent(url.pathname);
  } catch {
    return undefined;
  }
};
