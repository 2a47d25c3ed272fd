// SPDX-License-Identifier: Apache-2.0
/** What `palisade exceptions try` prints: how many alerts each exception would have hidden, and what would remain. */
import type {TriedExceptions} from '@palisade/ids-wire';
import {counted} from './figures.ts';

const rowsOf = ({exceptions}: TriedExceptions): string => {
  const width = Math.max('EXCEPTION'.length, ...exceptions.map(({exception}) => exception.length)) + 2;
  const row = (exception: string, hidden: string, name: string): string =>
    `${exception.padEnd(width)}${hidden.padEnd(8)}${name}`.trimEnd();
  return [
    row('EXCEPTION', 'HIDDEN', 'NAME'),
    ...exceptions.map(({exception, hidden, name = '-'}) => row(exception, String(hidden), name)),
  ].join('\n');
};

/** In the order of the answer, which begins with the highest severity. */
const remainingOf = ({remaining}: TriedExceptions): string =>
  Object.entries(remaining)
    .map(([severity, count]) => `${count} ${severity}`)
    .join(', ');

export const triedText = (tried: TriedExceptions): string => {
  const {endpoint, alerts, oldest, newest, hidden} = tried;
  if (alerts === 0) return `${endpoint}: no alerts are stored\n\n${rowsOf(tried)}\n`;
  const left = alerts - hidden;
  return [
    `${endpoint}: the last ${counted(alerts, 'alert')} stored, from ${oldest} to ${newest}`,
    '',
    rowsOf(tried),
    '',
    `hidden:    ${hidden} of ${alerts}`,
    `remaining: ${left}${left === 0 ? '' : ` (${remainingOf(tried)})`}`,
    '',
  ].join('\n');
};

/** What the figures leave out, and which exceptions hide nothing to come. */
export const triedNotes = ({exceptions, hiddenBefore, rulesKnown}: TriedExceptions): string[] => [
  ...exceptions.flatMap(({exception, warning}) => {
    if (warning === undefined) return [];
    return [warning.startsWith('"') ? warning : `${JSON.stringify(exception)} ${warning}`];
  }),
  ...(rulesKnown ? [] : ['the server has no active rule set, so it is not known which exceptions match a signature']),
  ...(hiddenBefore === 0
    ? []
    : [
        `not in these figures: ${counted(hiddenBefore, 'alert')} that exceptions of the endpoint have hidden; hidden alerts are not stored`,
      ]),
];
