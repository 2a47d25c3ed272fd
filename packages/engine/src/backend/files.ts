// SPDX-License-Identifier: Apache-2.0
/** Files that must survive a crash: written beside the target, flushed, renamed over it, and the folder flushed. */
import {randomBytes} from 'node:crypto';
import {link, mkdir, open, readdir, readFile, rename, rm} from 'node:fs/promises';
import {dirname} from 'node:path';
import {isMissingFile} from '../engine-error.ts';

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
 * Replaces the file atomically and durably. `keepPrevious`: what was there before stays reachable under that path.
 * When this resolves the new content survives a power failure; when it throws the old content is untouched.
 */
export async function writeDurably(path: string, text: string, options: {keepPrevious?: string} = {}): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, {recursive: true});
  const temporary = `${path}.tmp-${randomBytes(6).toString('hex')}`;
  try {
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.writeFile(text);
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
  await flushFolder(folder);
}

async function keepPrevious(path: string, backup: string): Promise<void> {
  const temporary = `${backup}.tmp-${randomBytes(6).toString('hex')}`;
  try {
    await link(path, temporary);
  } catch (error) {
    if (isMissingFile(error)) return; // the first write: nothing to keep
    throw error;
  }
  await rename(temporary, backup);
}

export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
