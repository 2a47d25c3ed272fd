// SPDX-License-Identifier: Apache-2.0
/** Sums of records for people: a histogram whose bars are made of letters, one for each severity, and a table of groups. */
import {
  formatTimestamp,
  type HistogramBarMessage,
  type RecordGroupMessage,
  type RecordKind,
  SEVERITIES,
  type Severity,
} from '@palisade/ids-wire';
import {terminalCell} from '../command-line/terminal-text.ts';
import {countText} from '../text/figures.ts';

const BAR_WIDTH = 60;
/** Bars without records are printed, too, as long as the histogram has no more rows. */
const ROWS_MAX = 500;

const LETTERS: Readonly<Record<Severity, string>> = {
  CRITICAL: 'C',
  HIGH: 'H',
  MEDIUM: 'M',
  LOW: 'L',
  INFORMATIONAL: 'i',
};
const WORST_FIRST = SEVERITIES.toReversed();

const countOf = (kind: RecordKind, bar: HistogramBarMessage): number =>
  kind === 'threats' ? (bar.alerts ?? 0) : bar.records;

/** What is there has a letter, however few they are. */
const letters = (letter: string, count: number, perLetter: number): string =>
  count === 0 ? '' : letter.repeat(Math.max(1, Math.round(count / perLetter)));

const drawn = (kind: RecordKind, bar: HistogramBarMessage, perLetter: number): string =>
  kind === 'traffic'
    ? letters('#', bar.records, perLetter)
    : WORST_FIRST.map(severity => letters(LETTERS[severity], bar.severities?.[severity] ?? 0, perLetter)).join('');

/** With the bars that have none between the first and the last. */
const withGaps = (bars: readonly HistogramBarMessage[], widthMs: number): readonly HistogramBarMessage[] => {
  const startOf = (bar: HistogramBarMessage | undefined): number => Date.parse(bar?.startTime ?? '');
  const first = startOf(bars[0]);
  const rows = (startOf(bars.at(-1)) - first) / widthMs + 1;
  if (!(rows <= ROWS_MAX)) return bars;
  const byStart = new Map(bars.map(bar => [startOf(bar), bar]));
  return Array.from({length: rows}, (_, i) => {
    const start = first + i * widthMs;
    return byStart.get(start) ?? {startTime: formatTimestamp(start), records: 0, alerts: 0};
  });
};

/** `bars`: at least one. */
export const histogramText = (kind: RecordKind, bars: readonly HistogramBarMessage[], widthMs: number): string => {
  const rows = withGaps(bars, widthMs);
  const perLetter = Math.max(1, Math.max(...rows.map(row => countOf(kind, row))) / BAR_WIDTH);
  const what = kind === 'threats' ? 'ALERTS' : 'FLOWS';
  const countWidth = Math.max(what.length, ...rows.map(row => countText(countOf(kind, row)).length));
  const lines = rows.map(row => {
    const count = countText(countOf(kind, row)).padStart(countWidth);
    return `${row.startTime.padEnd(20)}  ${count}  ${drawn(kind, row, perLetter)}`.trimEnd();
  });
  const legend =
    kind === 'traffic'
      ? []
      : [WORST_FIRST.map(severity => `${LETTERS[severity]} ${severity.toLowerCase()}`).join('  ')];
  const scale = perLetter === 1 ? [] : [`one letter is about ${countText(perLetter)} ${what.toLowerCase()}`];
  const notes = [...legend, ...scale].join('; ');
  const head = `${'TIME'.padEnd(20)}  ${what.padStart(countWidth)}`;
  return `${[head, ...lines, ...(notes === '' ? [] : [notes])].join('\n')}\n`;
};

type Column = {readonly head: string; readonly cells: readonly string[]; readonly isNumber?: true};

const tableText = (columns: readonly Column[]): string => {
  const widths = columns.map(({head, cells}) => Math.max(head.length, ...cells.map(cell => cell.length)));
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, i) => (columns[i]?.isNumber ? text.padStart(widths[i] ?? 0) : text.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  const rows = Array.from({length: columns[0]?.cells.length ?? 0}, (_, row) =>
    columns.map(({cells}) => cells[row] ?? ''),
  );
  return [columns.map(({head}) => head), ...rows].map(texts => `${line(texts)}\n`).join('');
};

export const groupText = (
  kind: RecordKind,
  groupBy: string,
  groups: readonly RecordGroupMessage[],
  more: number,
  label: (name: string) => string,
): string => {
  const column = (head: string, text: (group: RecordGroupMessage) => string): Column => ({
    head,
    cells: groups.map(group => terminalCell(text(group))),
  });
  const number = (head: string, count: (group: RecordGroupMessage) => number): Column => ({
    ...column(head, group => countText(count(group))),
    isNumber: true,
  });
  const isThreat = kind === 'threats';
  const table = tableText([
    column(groupBy.toUpperCase(), ({key}) => (groupBy === 'endpoint' ? label(key) : key === '' ? '-' : key)),
    ...(isThreat ? [number('ALERTS', ({alerts = 0}) => alerts)] : []),
    number(isThreat ? 'RECORDS' : 'FLOWS', ({records}) => records),
    ...(isThreat ? [] : [number('BYTES', ({bytes = 0}) => bytes)]),
    ...(isThreat && groupBy !== 'severity' ? [column('HIGHEST', ({highestSeverity}) => highestSeverity ?? '')] : []),
    column('FIRST', ({firstTime}) => firstTime),
    column('LAST', ({lastTime}) => lastTime),
    ...(groupBy === 'threat' ? [column('NAME', ({name}) => name ?? '')] : []),
  ]);
  return more === 0 ? table : `${table}${countText(more)} more; --limit N prints more of them\n`;
};
