// SPDX-License-Identifier: Apache-2.0
/** `packets.json` in the folder of a sensor: its packets over time, for a later server. What is read there may be anything. */
import {join} from 'node:path';
import {HISTORY_STEPS} from '@palisade/ids-wire';
import {HISTORY_FILE_BYTES_MAX} from '../limits.ts';
import {replaceFile} from '../replace-file.ts';
import {readOwnFile} from './own-file.ts';
import type {HistoryRow, HistoryRows} from './packet-history.ts';

const HISTORY_FILE = 'packets.json';
/** 1: 2026-11. */
const FORMAT = 1;

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const isRow = (row: unknown): row is HistoryRow => Array.isArray(row) && row.length === 4 && row.every(isCount);

/** Rows in order, the newest ones; others are left out. */
const readRows = (value: unknown, max: number): HistoryRow[] => {
  const rows: HistoryRow[] = [];
  for (const row of Array.isArray(value) ? value.slice(-max) : []) {
    if (isRow(row) && row[0] > (rows.at(-1)?.[0] ?? -1)) rows.push(row);
  }
  return rows;
};

/** Empty for a text that is not ours. */
export const parseHistory = (text: string): HistoryRows => {
  let value: Readonly<Record<string, unknown>> | null;
  try {
    value = JSON.parse(text);
  } catch {
    return {short: [], long: []}; // half written: power was lost
  }
  if (value?.['format'] !== FORMAT) return {short: [], long: []};
  const {short, long} = HISTORY_STEPS;
  return {short: readRows(value['short'], short.rowsMax), long: readRows(value['long'], long.rowsMax)};
};

export const readHistory = async (folder: string): Promise<HistoryRows> =>
  parseHistory((await readOwnFile(join(folder, HISTORY_FILE), HISTORY_FILE_BYTES_MAX)) ?? '');

export const writeHistory = (folder: string, rows: HistoryRows): Promise<void> =>
  replaceFile(join(folder, HISTORY_FILE), `${JSON.stringify({format: FORMAT, ...rows})}\n`);
