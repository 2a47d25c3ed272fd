// SPDX-License-Identifier: Apache-2.0
/**
 * Reads an audit log: rotated files from the oldest to the newest, then the file that is written; with `follow` what comes after,
 * also when that file is rotated meanwhile. A line that is no event (cut by a crash) is skipped.
 */
import {type FileHandle, open, readdir, stat} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import type {AuditEvent, Timers} from '@palisade/apiserver';
import {type AuditQuery, matchesAudit, parseAuditLine} from './audit-query.ts';
import {rotatedTimeMs} from './file-names.ts';

const READ_BYTES = 256 * 1024;
/** How often a followed file is looked at. */
const LOOK_MS = 250;
const NEWLINE = 0x0a;

export type Following = {readonly timers: Pick<Timers, 'after'>; readonly signal: AbortSignal};

/** Rejects with the fault of the system when the folder cannot be read. */
export async function* readAudit(path: string, query: AuditQuery, following?: Following): AsyncGenerator<AuditEvent> {
  const {limit} = query;
  const matching = matchingEvents(path, query, following);
  if (limit === undefined || query.follow) return yield* matching;
  const newest: AuditEvent[] = [];
  for await (const event of matching) {
    newest.push(event);
    if (newest.length >= 2 * limit) newest.splice(0, newest.length - limit);
  }
  yield* newest.slice(-limit);
}

async function* matchingEvents(
  path: string,
  query: AuditQuery,
  following: Following | undefined,
): AsyncGenerator<AuditEvent> {
  for await (const line of linesOf(path, query, following)) {
    const event = parseAuditLine(line);
    if (event !== undefined && matchesAudit(event, query)) yield event;
  }
}

async function* linesOf(path: string, query: AuditQuery, following: Following | undefined): AsyncGenerator<string> {
  let current = await openFile(path); // before the folder is listed: a file that is rotated now is in one of both
  let before: OpenFile | undefined;
  let readToMs = (query.sinceMs ?? Number.NEGATIVE_INFINITY) - 1;
  try {
    for (;;) {
      for (const {file, ms} of await rotatedFiles(path, readToMs)) {
        readToMs = ms;
        yield* linesOfFile(file, [before?.id, current?.id]);
      }
      if (current !== undefined) yield* current.lines();
      if (!query.follow || following === undefined || following.signal.aborted) return;
      if (current === undefined) await pause(following);
      else yield* linesAfter(path, current, following);
      await before?.close();
      before = current;
      current = await openFile(path);
    }
  } finally {
    await before?.close();
    await current?.close();
  }
}

/** `known`: those that are read anyway. */
async function* linesOfFile(path: string, known: readonly (string | undefined)[]): AsyncGenerator<string> {
  const file = await openFile(path);
  if (file === undefined) return; // deleted meanwhile
  try {
    if (!known.includes(file.id)) yield* file.lines();
  } finally {
    await file.close();
  }
}

/** Until another file has the path, or the reader has enough. */
async function* linesAfter(path: string, file: OpenFile, following: Following): AsyncGenerator<string> {
  for (;;) {
    const isSame = (await idOf(path)) === file.id; // looked at before the last lines are read
    yield* file.lines();
    if (!isSame || following.signal.aborted) return;
    await pause(following);
  }
}

const pause = ({timers, signal}: Following): Promise<void> =>
  new Promise(resolve => {
    const end = (): void => {
      timer.cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = timers.after(LOOK_MS, end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });

/** Oldest first: those that were rotated after a time. */
const rotatedFiles = async (
  path: string,
  afterMs: number,
): Promise<readonly {readonly file: string; readonly ms: number}[]> => {
  const dir = dirname(path);
  return (await readdir(dir))
    .flatMap(name => {
      const ms = name === basename(path) ? undefined : rotatedTimeMs(path, name);
      return ms === undefined || ms <= afterMs ? [] : [{file: join(dir, name), ms}];
    })
    .sort((a, b) => a.ms - b.ms);
};

const idOf = async (path: string): Promise<string | undefined> => {
  try {
    const {dev, ino} = await stat(path);
    return `${dev} ${ino}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

const openFile = async (path: string): Promise<OpenFile | undefined> => {
  try {
    const file = await open(path, 'r');
    const {dev, ino} = await file.stat();
    return new OpenFile(file, `${dev} ${ino}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

class OpenFile {
  readonly id: string;
  readonly #file: FileHandle;
  #at = 0;
  #rest: Buffer = Buffer.alloc(0);

  constructor(file: FileHandle, id: string) {
    this.#file = file;
    this.id = id;
  }

  /** Whole lines from where the last call stopped to the end as it is now. */
  async *lines(): AsyncGenerator<string> {
    const piece = Buffer.alloc(READ_BYTES);
    for (;;) {
      const {bytesRead} = await this.#file.read(piece, 0, READ_BYTES, this.#at);
      if (bytesRead === 0) return;
      this.#at += bytesRead;
      const bytes = Buffer.concat([this.#rest, piece.subarray(0, bytesRead)]);
      const end = bytes.lastIndexOf(NEWLINE) + 1;
      this.#rest = bytes.subarray(end);
      for (const line of bytes.toString('utf8', 0, end).split('\n')) if (line !== '') yield line;
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
