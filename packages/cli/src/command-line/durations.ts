// SPDX-License-Identifier: Apache-2.0
/** Durations of flags: `30s`, `10m`, `1h30m`, `7d`. */
const UNIT_SECONDS: Readonly<Record<string, number>> = {s: 1, m: 60, h: 3600, d: 86_400};
const DURATION = /^(?:\d{1,9}[smhd])+$/;

/** Undefined for a text that is no duration. */
export const parseSeconds = (text: string): number | undefined =>
  DURATION.test(text)
    ? [...text.matchAll(/(\d+)([smhd])/g)].reduce(
        (sum, [, count, unit]) => sum + Number(count) * (UNIT_SECONDS[unit ?? ''] ?? 0),
        0,
      )
    : undefined;

export type SecondsRange = {readonly least: number; readonly most: number};

const EXAMPLES = ['30s', '30m', '8h', '90d'];

const examplesIn = ({least, most}: SecondsRange): string => {
  const fitting = EXAMPLES.filter(text => (parseSeconds(text) ?? 0) >= least && (parseSeconds(text) ?? 0) <= most);
  return fitting.join(', ').replace(/, (?=[^,]*$)/, ' or ');
};

const DAYS_FROM = 2 * 86_400;

const rangeText = ({least, most}: SecondsRange): string => {
  const isDays = most >= DAYS_FROM && most % 86_400 === 0;
  return `${durationText(least)} to ${isDays ? `${most / 86_400}d` : durationText(most)}`;
};

/** A fault with the way out goes to `faults`; the seconds then mean nothing. */
export const readSeconds = (flag: string, text: string, {least, most}: SecondsRange, faults: string[]): number => {
  const seconds = parseSeconds(text);
  if (seconds === undefined)
    faults.push(
      `--${flag} ${text}: must be a duration such as ${examplesIn({least, most})}, from ${rangeText({least, most})}`,
    );
  else if (seconds < least || seconds > most)
    faults.push(`--${flag} ${text}: must be from ${rangeText({least, most})}`);
  return seconds ?? least;
};

/** In the largest unit that divides it: `30s`, `10m`, `24h`. */
export const durationText = (seconds: number): string =>
  seconds === 0 || seconds % 60 !== 0
    ? `${seconds}s`
    : seconds % 3600 !== 0
      ? `${seconds / 60}m`
      : `${seconds / 3600}h`;
