// SPDX-License-Identifier: Apache-2.0
/** A file that the command line names. `said`: how the user named it, such as `--file x.yaml`. */
import {statSync} from 'node:fs';
import {access, constants, lstat, open, readFile, realpath, stat, writeFile} from 'node:fs/promises';
import {dirname} from 'node:path';
import {whyNoFolder, whyUnreadable, whyUnwritable} from '../backend/file-faults.ts';
import {writeDurably} from '../backend/files.ts';
import {EngineError, isMissingFile} from '../engine-error.ts';

/** Throws EngineError `<said>: cannot be read: …`. */
export async function readNamedFile(path: string, said: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new EngineError(`${said}: cannot be read: ${whyUnreadable(cause)}`, {cause});
  }
}

/** Throws EngineError `<said>: …` for what is no folder. */
export function assertFolder(path: string, said: string): void {
  try {
    statSync(`${path}/.`); // a file has none
  } catch (cause) {
    throw new EngineError(`${said}: ${whyNoFolder(cause)}`, {cause});
  }
}

/** Makes no folder. Throws EngineError `<said>: cannot be written: …`. */
export async function writeNamedFile(path: string, said: string, text: string): Promise<void> {
  await withPath(said, async () => {
    await stat(dirname(path));
    await writeThrough(path, text);
  });
}

/** For what must not be done in vain: throws as writeNamedFile will, as far as that shows now. Leaves everything as it is. */
export async function assertWritable(path: string, said: string): Promise<void> {
  await withPath(said, async () => {
    const there = await unlessMissing(stat(path));
    if (there?.isDirectory()) await (await open(path, 'r+')).close(); // is refused
    await access(there === undefined || there.isFile() ? dirname(path) : path, constants.W_OK);
  });
}

async function withPath(said: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (cause) {
    throw new EngineError(`${said}: cannot be written: ${whyUnwritable(cause)}`, {cause});
  }
}

/**
 * Writes durably. What is there already stays what it is: a link leads to its file, a file keeps its mode, a device or a pipe is
 * written to.
 */
export async function writeThrough(path: string, text: string): Promise<void> {
  const before = await unlessMissing(stat(path));
  if (before === undefined && (await unlessMissing(lstat(path))) === undefined) return writeDurably(path, text);
  const file = before?.isFile() ? await unlessMissing(realpath(path)) : undefined;
  // A link to what is to be made, no file, or one that has no name any longer, such as behind /proc/self/fd.
  if (before === undefined || file === undefined) return writeFile(path, text, {mode: 0o600});
  return writeDurably(file, text, {mode: before.mode & 0o777});
}

async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}
