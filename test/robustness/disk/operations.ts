// SPDX-License-Identifier: Apache-2.0
/** The log of shim.c (struct record): every change of the disk, in order, and what was said on stdout in between. */
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';

export type Operation =
  | {readonly kind: 'write'; readonly inode: bigint; readonly offset: number; readonly bytes: Buffer}
  | {readonly kind: 'truncate'; readonly inode: bigint; readonly size: number}
  | {readonly kind: 'sync' | 'sync failed'; readonly inode: bigint}
  | {readonly kind: 'create' | 'mkdir'; readonly inode: bigint; readonly path: string; readonly mode: number}
  | {readonly kind: 'rename' | 'link'; readonly path: string; readonly to: string}
  | {readonly kind: 'symlink'; readonly path: string; readonly target: string}
  | {readonly kind: 'unlink'; readonly path: string}
  | {readonly kind: 'said'; readonly bytes: Buffer};

type Numbered = {readonly sequence: bigint; readonly operation: Operation};

const MAGIC = 0x4b534944;
const HEAD_BYTES = 48;

const operationOf = (log: Buffer, at: number): Operation => {
  const [inode, value, mode] = [
    log.readBigUInt64LE(at + 16),
    Number(log.readBigUInt64LE(at + 24)),
    log.readUInt32LE(at + 36),
  ];
  const second = at + HEAD_BYTES + log.readUInt32LE(at + 40);
  const bytes = log.subarray(at + HEAD_BYTES, second);
  const path = bytes.toString();
  const other = log.toString('utf8', second, second + log.readUInt32LE(at + 44));
  const kind = log.readUInt32LE(at + 32);
  switch (kind) {
    case 1:
      return {kind: 'write', inode, offset: value, bytes};
    case 2:
      return {kind: 'truncate', inode, size: value};
    case 3:
      return {kind: 'sync', inode};
    case 4:
      return {kind: 'sync failed', inode};
    case 5:
      return {kind: 'create', inode, path, mode};
    case 6:
      return {kind: 'mkdir', inode, path, mode};
    case 7:
      return {kind: 'rename', path, to: other};
    case 8:
      return {kind: 'unlink', path};
    case 9:
      return {kind: 'link', path, to: other};
    case 10:
      return {kind: 'symlink', path, target: other};
    case 11:
      return {kind: 'said', bytes};
    default:
      throw new Error(`the log has an operation of kind ${kind}`);
  }
};

/** Of one process. A record that a kill has cut is the last one, and did not happen. */
const readLog = (path: string): Numbered[] => {
  const log = readFileSync(path);
  const found: Numbered[] = [];
  for (let at = 0; at + HEAD_BYTES <= log.length; ) {
    const length = log.readUInt32LE(at + 4);
    if (log.readUInt32LE(at) !== MAGIC) throw new Error(`${path}: no record at byte ${at}`);
    if (at + length > log.length) break;
    found.push({sequence: log.readBigUInt64LE(at + 8), operation: operationOf(log, at)});
    at += length;
  }
  return found;
};

/** Of all processes that wrote a log into the folder. */
export const readOperations = (folder: string): Operation[] =>
  readdirSync(folder)
    .flatMap(name => readLog(join(folder, name)))
    .sort((a, b) => Number(a.sequence - b.sequence))
    .map(({operation}) => operation);
