// SPDX-License-Identifier: Apache-2.0
/**
 * `figures.json` in the folder of a sensor: what is to be known of its packets after a restart of the server, and the last sign of life.
 * The folder belongs to Suricata's user, so what is read there may be anything.
 */
import {join} from 'node:path';
import {BLIND_INTERVALS_MAX, BLIND_WHY_CHARS_MAX, FIGURES_FILE_BYTES_MAX, LOSS_MINUTES_MAX} from '../limits.ts';
import {replaceFile} from '../replace-file.ts';
import {DROP_CAUSES, type Drops} from '../sensor/loss-watch.ts';
import type {BlindCause, BlindState, ClosedInterval, OpenInterval} from './blind-time.ts';
import type {MinuteCount} from './loss-minutes.ts';
import {readOwnFile} from './own-file.ts';
import type {PacketSums} from './packet-totals.ts';

export const FIGURES_FILE = 'figures.json';
/** 1: 2026-11. */
const FORMAT = 1;
const CAUSES: readonly BlindCause[] = ['engine', 'server', 'disk'];

export type SavedFigures = {
  /** When the server last wrote this. */
  readonly aliveMs: number;
  readonly packets: PacketSums;
  readonly minutes: readonly MinuteCount[];
  readonly blind: BlindState;
};

type Fields = Readonly<Record<string, unknown>>;
const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const count = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
/** The latest time that a Date can be. */
const TIME_MAX_MS = 8.64e15;
const time = (value: unknown): number | undefined =>
  typeof value === 'number' && value > 0 && value <= TIME_MAX_MS ? value : undefined;
const words = (value: unknown): string => (typeof value === 'string' ? value.slice(0, BLIND_WHY_CHARS_MAX) : '');

const readPackets = (value: unknown): PacketSums => {
  const of = fields(value);
  const drops = fields(of['drops']);
  return {
    received: count(of['received']),
    bytes: count(of['bytes']),
    drops: Object.fromEntries(DROP_CAUSES.map(cause => [cause, count(drops[cause])])) as Drops,
    malformed: count(of['malformed']),
    foreignVni: count(of['foreignVni']),
    refusedSender: count(of['refusedSender']),
    notInspectable: count(of['notInspectable']),
  };
};

const readMinutes = (value: unknown): MinuteCount[] =>
  list(value)
    .slice(-LOSS_MINUTES_MAX)
    .map(fields)
    .filter(row => time(Number(row['minute']) * 60_000) !== undefined)
    .map(row => ({minute: count(row['minute']), received: count(row['received']), dropped: count(row['dropped'])}));

const readClosed = (value: unknown): ClosedInterval[] =>
  list(value)
    .slice(-BLIND_INTERVALS_MAX)
    .flatMap(item => {
      const {fromMs, untilMs, why} = fields(item);
      const [from, until] = [time(fromMs), time(untilMs)];
      return from === undefined || until === undefined || until < from
        ? []
        : [{fromMs: from, untilMs: until, why: words(why)}];
    });

const readOpen = (value: unknown): OpenInterval | undefined => {
  const {fromMs, cause, why} = fields(value);
  const [from, known] = [time(fromMs), CAUSES.find(one => one === cause)];
  return from === undefined || known === undefined ? undefined : {fromMs: from, cause: known, why: words(why)};
};

/** Undefined: this is no text of ours. */
export const parseFigures = (text: string): SavedFigures | undefined => {
  let value: Fields;
  try {
    value = fields(JSON.parse(text));
  } catch {
    return undefined; // half written: power was lost
  }
  const aliveMs = time(value['aliveMs']);
  if (value['format'] !== FORMAT || aliveMs === undefined) return undefined;
  const blind = fields(value['blind']);
  return {
    aliveMs,
    packets: readPackets(value['packets']),
    minutes: readMinutes(value['minutes']),
    blind: {closed: readClosed(blind['closed']), closedMs: count(blind['closedMs']), open: readOpen(blind['open'])},
  };
};

/** Undefined: nothing was saved, or it cannot be read. */
export const readFigures = async (folder: string): Promise<SavedFigures | undefined> => {
  const text = await readOwnFile(join(folder, FIGURES_FILE), FIGURES_FILE_BYTES_MAX);
  return text === undefined ? undefined : parseFigures(text);
};

export const writeFigures = (folder: string, figures: SavedFigures): Promise<void> =>
  replaceFile(join(folder, FIGURES_FILE), `${JSON.stringify({format: FORMAT, ...figures})}\n`);
