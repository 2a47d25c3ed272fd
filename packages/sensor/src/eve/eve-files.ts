// SPDX-License-Identifier: Apache-2.0
/**
 * The EVE files of one endpoint: `eve.json`, which Suricata appends to, and rotated ones, `eve.000001.json` and up, oldest first.
 *
 * Each file begins with a line of ours that gives it an id: inode numbers are used again, a copied data folder changes them, this id stays.
 * Before each run of Suricata a line of ours marks the run, so that its own counters can be compared with what was read.
 */
import {createHash} from 'node:crypto';
import {constants, type Stats} from 'node:fs';
import {type FileHandle, lstat, open, readdir, rename, rm} from 'node:fs/promises';
import {join} from 'node:path';
import type {Random} from '../ports.ts';
import {systemCode} from '../sensor-error.ts';
import {EVE_FILE} from '../suricata/config.ts';
import type {RunAs} from '../suricata/process.ts';
import {decodeEveLine, markerLine} from './eve-record.ts';

const HEADER_BYTES_MAX = 256;
const ROTATED = /^eve\.(\d{6,})\.json$/;
const FILE_MODE = 0o600;

/** Rotated files by number, then the active one; only those that exist, and nothing that is no file. */
export const listEveFiles = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, {withFileTypes: true}).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  });
  const names = entries.filter(entry => entry.isFile()).map(({name}) => name);
  const rotated = names.filter(name => ROTATED.test(name)).sort();
  return names.includes(EVE_FILE) ? [...rotated, EVE_FILE] : rotated;
};

/** The id in the file's first line; of a file that somebody has truncated, a hash of what is there now. Undefined: too little is there. */
export const readFileId = async (handle: FileHandle): Promise<string | undefined> => {
  const {bytesRead, buffer} = await handle.read(Buffer.alloc(HEADER_BYTES_MAX), 0, HEADER_BYTES_MAX, 0);
  const end = buffer.subarray(0, bytesRead).indexOf(0x0a);
  if (end < 0 && bytesRead < HEADER_BYTES_MAX) return undefined;
  const head = buffer.subarray(0, end < 0 ? bytesRead : end);
  const line = decodeEveLine(head.toString('utf8'));
  if (line.type === 'marker' && line.marker.file !== undefined) return line.marker.file;
  return `head-${createHash('sha256').update(head).digest('hex').slice(0, 20)}`;
};

/** Tells one file from another while one of them is held open. */
export type FileMark = string;
export const markOf = ({dev, ino}: Pick<Stats, 'dev' | 'ino'>): FileMark => `${dev}-${ino}`;

export type ActiveEveFile = {
  readonly mark: FileMark;
  readonly isFile: boolean;
  readonly uid: number;
  readonly sizeBytes: number;
};

/** What is at the name that Suricata appends to; undefined: nothing. Never follows a link. */
export const lookAtEveFile = (folder: string): Promise<ActiveEveFile | undefined> =>
  lstat(join(folder, EVE_FILE)).then(
    stats => ({mark: markOf(stats), isFile: stats.isFile(), uid: stats.uid, sizeBytes: stats.size}),
    (error: unknown) => {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw error;
    },
  );

/** Creates the active file with its id line, owned by Suricata's user; or nothing. */
const createEveFile = async (folder: string, random: Random, owner: RunAs | undefined): Promise<FileMark> => {
  const path = join(folder, EVE_FILE);
  const handle = await open(path, 'ax', FILE_MODE);
  try {
    await handle.writeFile(markerLine({file: random.uuid()}));
    if (owner !== undefined) await handle.chown(owner.uid, owner.gid);
    return markOf(await handle.stat());
  } catch (error) {
    await rm(path, {force: true}); // without its id (the disk is full) it could not be distinguished from others
    throw error;
  } finally {
    await handle.close();
  }
};

/** What another program put at the active file's name is kept next to it, and never read. Whatever it is: a link, a folder, a pipe. */
const putAside = (folder: string, random: Random): Promise<void> =>
  rename(join(folder, EVE_FILE), join(folder, `replaced-${random.uuid()}`));

/**
 * Before Suricata is spawned: the file exists, ends with a newline, and the new run is marked. Suricata appends.
 * `known`: the file that was active before, if this server knows; another one at its name is put aside. Resolves to the mark of the active file.
 */
export const beginEveRun = async (
  folder: string,
  random: Random,
  owner: RunAs | undefined,
  known?: FileMark,
): Promise<FileMark> => {
  const there = await lookAtEveFile(folder);
  const isOurs =
    there?.isFile === true && (known ?? there.mark) === there.mark && (owner?.uid ?? there.uid) === there.uid; // Suricata could not open one of another user
  if (there !== undefined && !isOurs) await putAside(folder, random);
  if (!isOurs) await createEveFile(folder, random, owner);
  const {O_RDWR, O_APPEND, O_NOFOLLOW} = constants; // never through a link: the folder is not ours alone
  const handle = await open(join(folder, EVE_FILE), O_RDWR | O_APPEND | O_NOFOLLOW);
  try {
    const stats = await handle.stat();
    const last = Buffer.alloc(1);
    if (stats.size > 0) await handle.read(last, 0, 1, stats.size - 1);
    const torn = stats.size > 0 && last[0] !== 0x0a;
    await handle.writeFile(`${torn ? '\n' : ''}${markerLine({run: random.uuid()})}`);
    return markOf(stats);
  } finally {
    await handle.close();
  }
};

/**
 * Moves the active file aside and puts a new one in its place; the caller then makes Suricata reopen it. `known` as for `beginEveRun`: a file
 * of somebody else is not read. Resolves to the mark of the new file.
 */
export const rotateEveFile = async (
  folder: string,
  random: Random,
  owner: RunAs | undefined,
  known?: FileMark,
): Promise<FileMark> => {
  const next = 1 + Math.max(0, ...(await readdir(folder)).map(name => Number(ROTATED.exec(name)?.[1] ?? 0)));
  const there = await lookAtEveFile(folder);
  if (there !== undefined && (!there.isFile || (known ?? there.mark) !== there.mark)) await putAside(folder, random);
  else if (there !== undefined)
    // not there: moved by an attempt that then failed, or deleted
    await rename(join(folder, EVE_FILE), join(folder, `eve.${String(next).padStart(6, '0')}.json`));
  return createEveFile(folder, random, owner);
};
