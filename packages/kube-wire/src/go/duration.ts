// SPDX-License-Identifier: Apache-2.0
/** Durations as Go writes them: `300ms`, `-1.5h`, `2h45m`. Ref: Go time.ParseDuration. */

const UNITS: readonly string[] = ['ns', 'us', 'µs', 'μs', 'ms', 's', 'm', 'h'];
const NANOSECONDS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 6e10,
  h: 3.6e12,
};
const NANOSECONDS_MAX = 2 ** 63;

/** Plain ASCII in double quotes, every other byte as `\xNN`. */
const quote = (text: string): string => {
  const bytes = [...Buffer.from(text)].map(byte => {
    if (byte < 0x20 || byte >= 0x80) return `\\x${byte.toString(16).padStart(2, '0')}`;
    const char = String.fromCharCode(byte);
    return char === '"' || char === '\\' ? `\\${char}` : char;
  });
  return `"${bytes.join('')}"`;
};

/** What is wrong with a duration, in Go's words; undefined when it is one. */
export const goDurationFault = (text: string): string | undefined => {
  const invalid = `time: invalid duration ${quote(text)}`;
  let rest = text.replace(/^[-+]/, '');
  if (rest === '0') return undefined;
  if (rest === '') return invalid;
  let sum = 0;
  while (rest !== '') {
    const [all, number = '', unit = ''] = /^([0-9]*(?:\.[0-9]*)?)([^.0-9]*)/.exec(rest) as unknown as string[];
    if (!/[0-9]/.test(number)) return invalid;
    if (unit === '') return `time: missing unit in duration ${quote(text)}`;
    if (!UNITS.includes(unit)) return `time: unknown unit ${quote(unit)} in duration ${quote(text)}`;
    sum += Number(number) * (NANOSECONDS[unit] as number);
    if (sum >= NANOSECONDS_MAX) return invalid;
    rest = rest.slice((all as string).length);
  }
  return undefined;
};
