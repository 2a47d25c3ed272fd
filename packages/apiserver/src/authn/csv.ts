// SPDX-License-Identifier: Apache-2.0
/**
 * Comma-separated values as Go's encoding/csv reads them: quotes around a whole field, `""` for a quote inside, line breaks
 * inside quotes; empty lines do not count. Ref: RFC 4180.
 */

export type CsvRecord = {
  /** Of the record's first character, from 1. */
  readonly line: number;
  readonly fields: readonly string[];
};

export type CsvFault = {readonly line: number; readonly text: string};

type Scan = {readonly text: string; at: number; line: number};

/** Every record and every fault; a record with a fault is left out. */
export const parseCsv = (
  source: string,
): {readonly records: readonly CsvRecord[]; readonly faults: readonly CsvFault[]} => {
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source;
  const scan: Scan = {text: text.replaceAll('\r\n', '\n'), at: 0, line: 1};
  const records: CsvRecord[] = [];
  const faults: CsvFault[] = [];
  while (scan.at < scan.text.length) {
    const {line} = scan;
    const record = readRecord(scan);
    if (typeof record === 'string') faults.push({line, text: record});
    else if (record.length > 1 || record[0] !== '') records.push({line, fields: record});
  }
  return {records, faults};
};

/** The fields up to the end of the line, or a fault; in both cases the scan moves to the next line. */
const readRecord = (scan: Scan): string[] | string => {
  const fields: string[] = [];
  for (;;) {
    const field = scan.text[scan.at] === '"' ? readQuoted(scan) : readPlain(scan);
    if (field === undefined) {
      skipLine(scan);
      return 'misplaced quote; quote the whole field';
    }
    fields.push(field);
    const next = scan.text[scan.at];
    if (next !== ',') {
      if (next === '\n') skipLine(scan);
      return fields;
    }
    scan.at++;
  }
};

const readPlain = (scan: Scan): string | undefined => {
  const start = scan.at;
  while (scan.at < scan.text.length && scan.text[scan.at] !== ',' && scan.text[scan.at] !== '\n') scan.at++;
  const field = scan.text.slice(start, scan.at);
  return field.includes('"') ? undefined : field;
};

const readQuoted = (scan: Scan): string | undefined => {
  let field = '';
  for (scan.at++; scan.at < scan.text.length; scan.at++) {
    const char = scan.text[scan.at];
    if (char === '\n') scan.line++;
    if (char !== '"') field += char;
    else if (scan.text[scan.at + 1] === '"') {
      field += '"';
      scan.at++;
    } else {
      scan.at++;
      const next = scan.text[scan.at];
      return next === undefined || next === ',' || next === '\n' ? field : undefined;
    }
  }
  return undefined;
};

const skipLine = (scan: Scan): void => {
  const end = scan.text.indexOf('\n', scan.at);
  scan.at = end < 0 ? scan.text.length : end + 1;
  scan.line++;
};
