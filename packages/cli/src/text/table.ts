// SPDX-License-Identifier: Apache-2.0
/** Rows of text in columns. Cells are safe to print (`terminalCell`). */

type Cell = readonly [text: string, width: number];

/** One row of a stream, with columns of fixed width (0: the rest). A text that is too long moves what follows, with two blanks between. */
export const streamRow = (cells: readonly Cell[]): string =>
  `${cells
    .map(([text, width]) => (text.length <= width - 2 || width === 0 ? text.padEnd(width) : `${text}  `))
    .join('')
    .trimEnd()}\n`;

/** All rows, each column as wide as its widest cell; nothing after the last cell. */
export const alignedRows = (rows: readonly (readonly string[])[], indent = ''): string => {
  const widths: number[] = [];
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  return rows
    .map(row => `${indent}${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}`.trimEnd())
    .map(line => `${line}\n`)
    .join('');
};
