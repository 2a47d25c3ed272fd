// SPDX-License-Identifier: Apache-2.0
/** Damage to the SQLite files of a copy of a data folder. */
import {readdirSync, readFileSync, statSync, truncateSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Damage} from './faults.ts';
import {between, oneOf, type Random} from './random.ts';

const WAL_HEADER = 32;
const FRAME_HEADER = 24;

export type Damaged = {readonly damage: Damage; readonly file: string; readonly where: string};

const filesOf = (folder: string, isOne: (name: string) => boolean): string[] =>
  readdirSync(folder, {recursive: true, encoding: 'utf8'})
    .filter(name => isOne(name) && statSync(join(folder, name)).isFile() && statSync(join(folder, name)).size > 0)
    .sort();

/** The bytes of a page, as the header of the database or of its log names them. */
const pageBytesOf = (header: Buffer, at: number, width: 2 | 4): number => {
  const bytes = header.readUIntBE(at, width);
  return bytes === 1 ? 65_536 : bytes;
};

/** Where the frames of a log begin; the last may be cut short. */
export const framesOf = (log: Buffer): {readonly starts: readonly number[]; readonly bytes: number} => {
  const bytes = FRAME_HEADER + pageBytesOf(log, 8, 4);
  const starts: number[] = [];
  for (let at = WAL_HEADER; at < log.length; at += bytes) starts.push(at);
  return {starts, bytes};
};

/** Damages one file of the folder, which the caller has copied; undefined when it has none to damage. `isOne`: by the path in the folder. */
export function damageOne(
  folder: string,
  damage: Damage,
  random: Random,
  isOne: (path: string) => boolean = () => true,
): Damaged | undefined {
  const isWal = damage !== 'corrupt-page';
  const isOfKind = (name: string): boolean => (isWal ? name.endsWith('-wal') : /\.(db|sqlite)$/.test(name));
  const names = filesOf(folder, name => isOfKind(name) && isOne(name));
  if (names.length === 0) return undefined;
  const file = join(folder, oneOf(random, names));
  const content = readFileSync(file);
  if (!isWal) return corruptPage(file, content, random);
  const {starts, bytes} = framesOf(content);
  if (starts.length === 0) return undefined;
  const frame = between(random, 0, starts.length - 1);
  const at = starts[frame] ?? 0;
  if (damage === 'wal-cut') truncateSync(file, at);
  else writeFileSync(file, content.fill(0, at, at + bytes));
  return {damage, file, where: `frame ${frame} of ${starts.length}, byte ${at}`};
}

/** Some bytes of one page get other values. */
function corruptPage(file: string, content: Buffer, random: Random): Damaged | undefined {
  if (content.length < 100 || content.toString('latin1', 0, 15) !== 'SQLite format 3') return undefined;
  const pageBytes = pageBytesOf(content, 16, 2);
  const page = between(random, 0, Math.floor(content.length / pageBytes) - 1);
  const from = page * pageBytes + between(random, 0, pageBytes - 1);
  const to = Math.min(from + between(random, 1, 64), (page + 1) * pageBytes, content.length);
  for (let at = from; at < to; at++) content[at] = (content[at] ?? 0) ^ between(random, 1, 255);
  writeFileSync(file, content);
  return {damage: 'corrupt-page', file, where: `page ${page + 1}, bytes ${from} to ${to}`};
}
