// SPDX-License-Identifier: Apache-2.0
/** Files that must survive a crash: written beside the target, flushed, renamed over it, and the folder flushed. */
import {randomBytes} from 'node:crypto';
import {type FileHandle, link, open, readdir, readFile, rename, rm} from 'node:fs/promises';
import {dirname} from 'node:path';
import {isMissingFile} from '../engine-error.ts';
import {makeSyncedFolder, syncFolder} from './sync-folder.ts';

/** Buffers per system call; Linux allows 1024. */
const PIECES_MAX = 1000;

/** The text of a file, or undefined when there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}

/** The names in a folder; none when there is no folder. */
export async function listIfThere(path: string): Promise<readonly string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (isMissingFile(error)) return [];
    throw error;
  }
}

/**
 * Replaces the file atomically and durably. `keepPrevious`: what was there before stays reachable under that path. `mode`: its
 * permissions, else 0600.
 * When this resolves the new content survives a power failure; when it throws the old content is untouched.
 */
export async function writeDurably(
  path: string,
  content: string | readonly Uint8Array[],
  options: {readonly keepPrevious?: string; readonly mode?: number} = {},
): Promise<void> {
  const folder = dirname(path);
  await makeSyncedFolder(folder);
  const temporary = `${path}.tmp-${randomBytes(6).toString('hex')}`;
  try {
    const file = await open(temporary, 'w', 0o600);
    try {
      if (options.mode !== undefined) await file.chmod(options.mode);
      if (typeof content === 'string') await file.writeFile(content);
      else await writePieces(file, content);
      await file.sync();
    } finally {
      await file.close();
    }
    if (options.keepPrevious !== undefined) await keepPrevious(path, options.keepPrevious);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, {force: true});
    throw error;
  }
  await syncFolder(folder);
}

/** Writes the pieces one after the other without joining them in memory. */
async function writePieces(file: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  for (let at = 0; at < pieces.length; at += PIECES_MAX) {
    const some = pieces.slice(at, at + PIECES_MAX);
    const wanted = some.reduce((sum, piece) => sum + piece.byteLength, 0);
    const {bytesWritten} = await file.writev(some);
    // Such as on a disk that is nearly full: the rest goes through, or says why not.
    if (bytesWritten !== wanted) await file.writeFile(Buffer.concat(some).subarray(bytesWritten));
  }
}

async function keepPrevious(path: string, backup: string): Promise<void> {
  const temporary = `${backup}.tmp-${randomBytes(6).toString('hex')}`;
  try {
    await link(path, temporary);
  } catch (error) {
    if (isMissingFile(error)) return; // the first write: nothing to keep
    throw error;
  }
  try {
    await rename(temporary, backup);
  } finally {
    await rm(temporary, {force: true}); // still there when it failed, or both are the same file
  }
}
