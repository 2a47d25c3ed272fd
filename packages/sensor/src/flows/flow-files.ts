// SPDX-License-Identifier: Apache-2.0
/**
 * Capture files of flows with alerts. Suricata writes them into the folder of its endpoint, a ring that its next run continues; when
 * the endpoint goes they move to `flows/<hash of the resource name>/`, as records outlive their endpoint. All of them together have a budget
 * of bytes and age; the oldest go first.
 *
 * I1 the file of an endpoint's folder that was written last is not deleted while Suricata may be writing it; name and
 *    time of the last write may be older than those of others, after a clock was set back.
 * I2 nothing that Suricata's user put there is followed: links, and files with several names.
 */
import {constants} from 'node:fs';
import {lstat, mkdir, open, readdir, rename, rm, rmdir} from 'node:fs/promises';
import {basename, join} from 'node:path';
import {FLOW_FILE_BYTES} from '../limits.ts';
import {endpointsDir, folderOf} from '../sensor/sensor-folder.ts';
import {systemCode} from '../sensor-error.ts';
import {FLOW_FILE} from '../suricata/config.ts';

export type FlowBudget = {readonly bytes: number; readonly ageMs: number};
export const FLOW_BUDGET_DEFAULT: FlowBudget = {bytes: 4 * 2 ** 30, ageMs: 30 * 86_400_000};

/** Suricata looks at its limit before it adds a packet and the session before it. */
const READ_BYTES_MAX = 8 * FLOW_FILE_BYTES;
const NAME = new RegExp(`^${FLOW_FILE.replace('.', '\\.')}\\.(\\d+)\\.(\\d+)$`);

const keptDir = (dir: string): string => join(dir, 'flows');

export type FlowFile = {
  readonly path: string;
  /** Of its first packet, as its name says. */
  readonly firstMicros: number;
  readonly writtenMs: number;
  readonly bytes: number;
};

const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return [];
    throw error;
  });

/** Oldest first. */
const filesIn = async (folder: string): Promise<FlowFile[]> => {
  const files: FlowFile[] = [];
  for (const name of await namesIn(folder)) {
    const [, seconds, micros] = NAME.exec(name) ?? [];
    if (seconds === undefined) continue;
    const path = join(folder, name);
    const stats = await lstat(path).catch(() => undefined); // overwritten meanwhile
    if (stats?.isFile() === true)
      files.push({
        path,
        firstMicros: Number(seconds) * 1_000_000 + Number(micros),
        writtenMs: stats.mtimeMs,
        bytes: stats.size,
      });
  }
  return files.sort((a, b) => a.firstMicros - b.firstMicros);
};

/** Of an endpoint, also of former ones of that name, oldest first. `dir`: of all sensors. */
export const flowFilesOf = async (dir: string, endpoint: string): Promise<readonly FlowFile[]> => {
  const folder = folderOf(dir, endpoint);
  const files = [...(await filesIn(join(keptDir(dir), basename(folder)))), ...(await filesIn(folder))];
  return files.sort((a, b) => a.firstMicros - b.firstMicros);
};

/** Undefined: it is gone, or not what Suricata makes. */
export const readFlowFile = async ({path}: FlowFile): Promise<Buffer | undefined> => {
  const {O_RDONLY, O_NOFOLLOW, O_NONBLOCK} = constants;
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.nlink !== 1) return undefined;
    const buffer = Buffer.alloc(Math.min(stats.size, READ_BYTES_MAX));
    const {bytesRead} = await handle.read(buffer, 0, buffer.length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
};

/** Moves what an endpoint's folder has out of it, before the folder goes. */
export const keepFlowFiles = async (dir: string, folder: string): Promise<void> => {
  const files = await filesIn(folder);
  if (files.length === 0) return;
  const kept = join(keptDir(dir), basename(folder));
  for (const {path} of files) await moveInto(kept, path);
};

/** The folder, or the file, may be deleted meanwhile (tidyFlowFiles). */
const moveInto = async (folder: string, path: string): Promise<void> => {
  for (let tries = 1; ; tries++) {
    await mkdir(folder, {recursive: true, mode: 0o700});
    try {
      return await rename(path, join(folder, basename(path)));
    } catch (error) {
      if (systemCode(error) !== 'ENOENT' || tries === MOVE_TRIES) throw error;
      if ((await lstat(path).catch(() => undefined)) === undefined) return;
    }
  }
};
const MOVE_TRIES = 5;

type Owned = FlowFile & {readonly mayGo: boolean};

/** The last one, and the last one that is not from the future: written before the clock was set back. */
const beingWritten = (files: readonly FlowFile[], nowMs: number): readonly number[] => {
  const times = files.map(({writtenMs}) => writtenMs);
  return [Math.max(...times), Math.max(...times.filter(timeMs => timeMs <= nowMs))];
};

const allFiles = async (dir: string, {isWritten = true, nowMs}: Tidying): Promise<Owned[]> => {
  const all: Owned[] = [];
  for (const name of await namesIn(endpointsDir(dir))) {
    const files = await filesIn(join(endpointsDir(dir), name));
    const last = isWritten ? beingWritten(files, nowMs) : [];
    all.push(...files.map(file => ({...file, mayGo: !last.includes(file.writtenMs)})));
  }
  for (const name of await namesIn(keptDir(dir)))
    all.push(...(await filesIn(join(keptDir(dir), name))).map(file => ({...file, mayGo: true})));
  return all.sort((a, b) => a.writtenMs - b.writtenMs);
};

export type Tidying = FlowBudget & {
  readonly nowMs: number;
  /** Suricata writes such files; default: yes. */
  readonly isWritten?: boolean;
  /** So much has to be given back to the disk. */
  readonly missingBytes?: number;
};

/** Deletes what is too old, and the oldest until the rest fits. Resolves to the number of deleted files. */
export const tidyFlowFiles = async (dir: string, tidying: Tidying): Promise<number> => {
  const {bytes, ageMs, nowMs, missingBytes = 0} = tidying;
  const files = await allFiles(dir, tidying);
  let left = files.reduce((sum, file) => sum + file.bytes, 0);
  let missing = missingBytes;
  let deleted = 0;
  for (const file of files) {
    const isToGo = left > bytes || missing > 0 || nowMs - file.writtenMs > ageMs;
    if (!file.mayGo || !isToGo) continue;
    await rm(file.path, {force: true});
    left -= file.bytes;
    missing -= file.bytes;
    deleted++;
  }
  await removeEmpty(keptDir(dir));
  return deleted;
};

/** Of former endpoints. A folder that gets a file meanwhile stays. */
const removeEmpty = async (folder: string): Promise<void> => {
  for (const name of await namesIn(folder))
    await rmdir(join(folder, name)).catch((error: unknown) => {
      if (!['ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'ENOENT'].includes(systemCode(error) ?? '')) throw error;
    });
};
