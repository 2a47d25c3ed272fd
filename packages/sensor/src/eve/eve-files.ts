// SPDX-License-Identifier: Apache-2.0
/**
 * The EVE files of one endpoint: `eve.json`, which Suricata appends to, and rotated ones, `eve.000001.json` and up, oldest first.
 *
 * Each file begins with a line of ours that gives it an id: inode numbers are used again, a copied data folder changes them, this id stays.
 * Before each run of Suricata a line of ours marks the run, so that its own counters can be compared with what was read.
 */
import {constants} from 'node:fs';
import {type FileHandle, open, readdir, rename, rm, stat} from 'node:fs/promises';
import {join} from 'node:path';
import type {Random} from '../ports.ts';
import {systemCode} from '../sensor-error.ts';
import {EVE_FILE} from '../suricata/config.ts';
import type {RunAs} from '../suricata/process.ts';
import {decodeEveLine, markerLine} from './eve-record.ts';

const HEADER_BYTES_MAX = 256;
const ROTATED = /^eve\.(\d{6,})\.json$/;
const FILE_MODE = 0o600;

/** Rotated files by number, then the active one; only those that exist. */
export const listEveFiles = async (folder: string): Promise<string[]> => {
  const names = await readdir(folder).catch((error: unknown): string[] => {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  });
  const rotated = names.filter(name => ROTATED.test(name)).sort();
  return names.includes(EVE_FILE) ? [...rotated, EVE_FILE] : rotated;
};

/** The id in the file's first line; undefined when it has none (yet). */
export const readFileId = async (handle: FileHandle): Promise<string | undefined> => {
  const {bytesRead, buffer} = await handle.read(Buffer.alloc(HEADER_BYTES_MAX), 0, HEADER_BYTES_MAX, 0);
  const end = buffer.subarray(0, bytesRead).indexOf(0x0a);
  if (end < 0) return undefined;
  const line = decodeEveLine(buffer.toString('utf8', 0, end));
  return line.type === 'marker' ? line.marker.file : undefined;
};

/** Creates the active file with its id line, owned by Suricata's user; or nothing. */
const createEveFile = async (folder: string, random: Random, owner: RunAs | undefined): Promise<void> => {
  const path = join(folder, EVE_FILE);
  const handle = await open(path, 'ax', FILE_MODE);
  try {
    await handle.writeFile(markerLine({file: random.uuid()}));
    if (owner !== undefined) await handle.chown(owner.uid, owner.gid);
  } catch (error) {
    await rm(path, {force: true}); // without its id (the disk is full) it could not be told from others
    throw error;
  } finally {
    await handle.close();
  }
};

/** Before Suricata is spawned: the file exists, ends with a newline, and the new run is marked. Suricata appends. */
export const beginEveRun = async (folder: string, random: Random, owner: RunAs | undefined): Promise<void> => {
  if (!(await listEveFiles(folder)).includes(EVE_FILE)) await createEveFile(folder, random, owner);
  const {O_RDWR, O_APPEND, O_NOFOLLOW} = constants; // never through a link: the folder is not ours alone
  const handle = await open(join(folder, EVE_FILE), O_RDWR | O_APPEND | O_NOFOLLOW);
  try {
    const {size} = await handle.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await handle.read(last, 0, 1, size - 1);
    const torn = size > 0 && last[0] !== 0x0a;
    await handle.writeFile(`${torn ? '\n' : ''}${markerLine({run: random.uuid()})}`);
  } finally {
    await handle.close();
  }
};

/** Moves the active file aside and puts a new one in its place; the caller then tells Suricata to reopen. */
export const rotateEveFile = async (folder: string, random: Random, owner: RunAs | undefined): Promise<void> => {
  const newest = (await listEveFiles(folder)).filter(name => name !== EVE_FILE).at(-1);
  const next = Number(ROTATED.exec(newest ?? '')?.[1] ?? 0) + 1;
  await rename(join(folder, EVE_FILE), join(folder, `eve.${String(next).padStart(6, '0')}.json`)).catch(
    (error: unknown) => {
      if (systemCode(error) !== 'ENOENT') throw error; // moved by an attempt that then failed
    },
  );
  await createEveFile(folder, random, owner);
};

/** Size of the file that Suricata appends to; undefined when there is none (a rotation that failed half way). */
export const activeEveBytes = (folder: string): Promise<number | undefined> =>
  stat(join(folder, EVE_FILE)).then(
    ({size}) => size,
    (error: unknown) => {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw error;
    },
  );
