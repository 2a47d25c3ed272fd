// SPDX-License-Identifier: Apache-2.0
/** The bytes of a backup into a file: under another name first, on disk and read back before it gets its own. */
import {randomBytes} from 'node:crypto';
import {access, open, rename, rm} from 'node:fs/promises';
import {dirname} from 'node:path';
import {syncFolder} from '../process/sync-folder.ts';
import {type ArchiveSummary, readArchive} from './read-archive.ts';

/** How the name of an unfinished file ends. */
export const PARTIAL = /\.[0-9a-f]{12}\.partial$/;

export type WriteOptions = {
  /** An existing file is replaced. */
  readonly replaces?: boolean | undefined;
  /** Bytes that were written so far. */
  readonly progress?: (bytes: number) => void;
  /** Ends the reading back, too. */
  readonly signal?: AbortSignal | undefined;
};

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

const writeAll = async (
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  progress: WriteOptions['progress'],
): Promise<void> => {
  const handle = await open(file, 'wx', 0o600);
  try {
    let bytes = 0;
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length; ) at += (await handle.write(chunk, at)).bytesWritten;
      bytes += chunk.length;
      progress?.(bytes);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/**
 * Mode 0600. A failure leaves neither file behind. Throws what `chunks` throws, errors of the file system (EEXIST unless it replaces)
 * and ArchiveError when the file cannot be read back.
 */
export const writeBackupFile = async (
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  {replaces = false, progress, signal}: WriteOptions = {},
): Promise<ArchiveSummary> => {
  const partial = `${file}.${randomBytes(6).toString('hex')}.partial`;
  try {
    await writeAll(partial, chunks, progress);
    const summary = await readArchive(partial, {progress: () => signal?.throwIfAborted()});
    if (!replaces && (await exists(file)))
      throw Object.assign(new Error(`${file}: the file exists`), {code: 'EEXIST', syscall: 'rename'});
    await rename(partial, file);
    await syncFolder(dirname(file));
    return summary;
  } finally {
    await rm(partial, {force: true});
  }
};
