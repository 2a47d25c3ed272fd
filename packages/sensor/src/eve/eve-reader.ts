// SPDX-License-Identifier: Apache-2.0
/**
 * Reads the EVE files of one endpoint in order, in blocks of whole lines. Reading does not move the position; `advance` does, after the
 * caller has made the block's records durable. Files that are read to their end are removed after the position in the next one is durable.
 *
 * Another program may change the file meanwhile. I1 The bytes before the position are compared with what was read there: a file that was
 * truncated or written over is noticed however long it is again. I2 Such a file goes on under another id: no line gets the id of another.
 * I3 A file that has lost its name is read through the open handle until Suricata writes to another one. A copy of it is never read.
 */
import {constants} from 'node:fs';
import {type FileHandle, lstat, open, rm} from 'node:fs/promises';
import {join} from 'node:path';
import type {EveCheckpoint} from '../record-sink.ts';
import {type FileMark, listEveFiles, markOf, readFileId} from './eve-files.ts';

const NEWLINE = 0x0a;
/** Bytes before the position that are compared at each read: enough to hold what differs between two lines of a kind. */
const TAIL_BYTES = 192;
/** Between a file's id and how often it was cut, in the `inode` of a position. */
const CUTS = '~';

export type EveBlock = {
  /** Whole lines, valid until the next call. */
  readonly bytes: Buffer;
  /** Offset of the first byte in the file. */
  readonly start: number;
  /** Prefix of line ids in this file. */
  readonly fileId: string;
  /** Where the position will be after `advance`. */
  readonly checkpoint: EveCheckpoint;
  /** Lines in this block that can never be read: torn at the end of a finished file, or too long. */
  readonly unreadable: number;
};

type Source = {
  readonly handle: FileHandle;
  readonly mark: FileMark;
  readonly device: string;
  /** Undefined: it was truncated, and there is too little yet to identify it by. */
  id: string | undefined;
  /** How often it was cut behind its id. */
  cuts: number;
  offset: number;
  /** What was read just before `offset`. */
  tail: Buffer;
};

export type EveReaderOptions = {
  readonly eveReadBytes: number;
  readonly eveLineBytesMax: number;
  /** The file that is read was truncated or written over. `away`: before this reader came to it. */
  readonly onCut?: ((when: 'now' | 'away') => void) | undefined;
};

export class EveReader {
  readonly #folder: string;
  readonly #options: EveReaderOptions;
  #buffer: Buffer;
  /** Position in the file of the buffer's first byte. */
  #bufferAt = 0;
  #source: Source | undefined;
  /** Inside a line that is too long. */
  #skipping = false;
  /** Ids of files that were read to their end and may still be there: none is read again when the one after it was deleted. */
  readonly #finished = new Set<string>();

  constructor(folder: string, options: EveReaderOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#buffer = Buffer.allocUnsafe(Math.max(options.eveReadBytes, 2 * TAIL_BYTES));
  }

  /**
   * Goes to the checkpoint. Resolves to false when there are files and none is the checkpoint's: then reading begins with the oldest file there is.
   * Files older than the checkpoint's were read to their end before and are removed.
   */
  async seek(checkpoint: EveCheckpoint | undefined): Promise<boolean> {
    const names = await listEveFiles(this.#folder);
    const [id, cuts = '0'] = checkpoint?.inode.split(CUTS) ?? [];
    for (const [index, name] of checkpoint === undefined ? [] : names.entries()) {
      const source = await this.#openSource(name);
      if (source !== undefined && source.id === id) {
        source.cuts = Number(cuts);
        if (!(await this.#goTo(source, checkpoint?.offset ?? 0))) this.#noteCut(source, 'away');
        for (const old of names.slice(0, index)) await rm(join(this.#folder, old), {force: true});
        this.#source = source;
        return true;
      }
      await source?.handle.close();
    }
    return checkpoint === undefined || names.length === 0;
  }

  /** Behind a whole line at `offset`; false: the file has none there, and the position is as far as it goes. */
  async #goTo(source: Source, offset: number): Promise<boolean> {
    source.offset = Math.min(offset, (await source.handle.stat()).size);
    const from = Math.max(source.offset - TAIL_BYTES, 0);
    const tail = Buffer.alloc(source.offset - from);
    const {bytesRead} = await source.handle.read(tail, 0, tail.length, from);
    source.tail = tail.subarray(0, bytesRead);
    return source.offset === offset && (offset === 0 || tail.at(-1) === NEWLINE);
  }

  #noteCut(source: Source, when: 'now' | 'away'): void {
    source.cuts++;
    this.#skipping = false;
    this.#options.onCut?.(when);
  }

  /** Undefined when there is no file, or too little in it to identify it by. The id stands for the inode: it survives a copy of the folder. */
  async #openSource(name: string): Promise<Source | undefined> {
    const {O_RDONLY, O_NOFOLLOW, O_NONBLOCK} = constants; // it may have become a pipe that nobody writes to
    const handle = await open(join(this.#folder, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
    if (handle === undefined) return undefined;
    const stats = await handle.stat();
    const id = stats.isFile() ? await readFileId(handle) : undefined;
    if (id === undefined) {
      await handle.close();
      return undefined;
    }
    return {handle, mark: markOf(stats), device: String(stats.dev), id, cuts: 0, offset: 0, tail: Buffer.alloc(0)};
  }

  /** The next whole lines; undefined: nothing now. */
  async read(): Promise<EveBlock | undefined> {
    if (this.#source === undefined && !(await this.#openFirst())) return undefined;
    const source = this.#source;
    if (source === undefined) return undefined;
    for (;;) {
      source.id ??= await readFileId(source.handle);
      if (source.id === undefined) return undefined;
      const {tail} = source;
      this.#bufferAt = source.offset - tail.length;
      const {bytesRead} = await source.handle.read(this.#buffer, 0, this.#buffer.length, this.#bufferAt);
      if (!this.#buffer.subarray(0, Math.min(bytesRead, tail.length)).equals(tail)) {
        await this.#cut(source);
        continue;
      }
      const filled = this.#buffer.subarray(tail.length, bytesRead);
      const end = filled.lastIndexOf(NEWLINE) + 1;
      if (end > 0) return this.#block(source, filled.subarray(0, end));
      if (bytesRead < this.#buffer.length) return this.#atEnd(source, filled.length);
      if (this.#buffer.length < this.#options.eveLineBytesMax)
        this.#buffer = Buffer.allocUnsafe(Math.min(this.#buffer.length * 4, this.#options.eveLineBytesMax));
      else {
        this.#skipping = true;
        return {...this.#blockOf(source, 0, filled.length), bytes: filled.subarray(0, 0), unreadable: 0};
      }
    }
  }

  /** What is left of a file that still begins as before was read; otherwise all of it is new. */
  async #cut(source: Source): Promise<void> {
    this.#noteCut(source, 'now');
    const id = await readFileId(source.handle);
    if (id !== source.id) source.cuts = 0;
    await this.#goTo(source, id === source.id ? source.offset : 0);
    source.id = id;
  }

  #blockOf(source: Source, skip: number, length: number): Omit<EveBlock, 'bytes' | 'unreadable'> {
    const fileId = source.cuts === 0 ? (source.id ?? '') : `${source.id}${CUTS}${source.cuts}`;
    return {
      start: source.offset + skip,
      fileId,
      checkpoint: {device: source.device, inode: fileId, offset: source.offset + length},
    };
  }

  /** Leaves out the rest of a line that was too long. */
  #block(source: Source, lines: Buffer): EveBlock {
    if (!this.#skipping) return {...this.#blockOf(source, 0, lines.length), bytes: lines, unreadable: 0};
    this.#skipping = false;
    const rest = lines.indexOf(NEWLINE) + 1;
    return {...this.#blockOf(source, rest, lines.length), bytes: lines.subarray(rest), unreadable: 1};
  }

  /** A file is finished once something was written to a later one: then an incomplete last line stays incomplete. */
  async #atEnd(source: Source, rest: number): Promise<EveBlock | undefined> {
    const names = await listEveFiles(this.#folder);
    const later = names.slice((await this.#nameOf(source, names)) + 1);
    if (!(await this.#haveEvents(later))) return undefined;
    // Looked at after the later file has begun: what came meanwhile is not the rest.
    if ((await source.handle.stat()).size > source.offset + rest) return this.read();
    const successor = await this.#openNext(later);
    if (successor === undefined) return undefined;
    if (!(await this.#isNext(successor, source))) {
      await successor.handle.close();
      return this.#atEnd(source, rest);
    }
    await source.handle.close();
    if (source.id !== undefined) this.#finished.add(source.id);
    this.#source = successor;
    this.#skipping = false;
    return {...this.#blockOf(successor, 0, 0), bytes: Buffer.alloc(0), unreadable: rest > 0 ? 1 : 0};
  }

  /** One of them has more than our line that names the file. */
  async #haveEvents(names: readonly string[]): Promise<boolean> {
    for (const name of names) {
      const source = await this.#openOther(name);
      if (source === undefined) continue;
      try {
        if ((await source.handle.stat()).size > (await this.#headerBytes(source))) return true;
      } finally {
        await source.handle.close();
      }
    }
    return false;
  }

  async #headerBytes(source: Source): Promise<number> {
    const {buffer, bytesRead} = await source.handle.read(Buffer.alloc(256), 0, 256, 0);
    return buffer.subarray(0, bytesRead).indexOf(NEWLINE) + 1;
  }

  /** Where among `names` our open file is now; -1: nowhere. */
  async #nameOf(source: Source, names: readonly string[]): Promise<number> {
    for (const [index, name] of names.entries()) {
      const stats = await lstat(join(this.#folder, name)).catch(() => undefined);
      if (stats !== undefined && markOf(stats) === source.mark) return index;
    }
    return -1;
  }

  /** Undefined also for a copy of the file that is read, and for a file that was read. */
  async #openOther(name: string): Promise<Source | undefined> {
    const source = await this.#openSource(name);
    if (source?.id === undefined) return source;
    if (source.id !== this.#source?.id && !this.#finished.has(source.id)) return source;
    await source.handle.close();
    return undefined;
  }

  /** The first that can be read. One that cannot is left out when a later one has events: nothing will come there any more. */
  async #openNext(names: readonly string[]): Promise<Source | undefined> {
    for (const [index, name] of names.entries()) {
      const source = await this.#openOther(name);
      if (source !== undefined || !(await this.#haveEvents(names.slice(index + 1)))) return source;
    }
    return undefined;
  }

  /** False: a rotation since the folder was listed has put another file before this one, or has renamed it. */
  async #isNext(successor: Source, after: Source | undefined): Promise<boolean> {
    const names = await listEveFiles(this.#folder);
    const at = await this.#nameOf(successor, names);
    if (at < 0) return false;
    const from = after === undefined ? 0 : (await this.#nameOf(after, names)) + 1;
    for (const name of names.slice(from, at)) {
      const between = await this.#openOther(name);
      await between?.handle.close();
      if (between !== undefined) return false;
    }
    return true;
  }

  async #openFirst(): Promise<boolean> {
    for (;;) {
      const first = await this.#openNext(await listEveFiles(this.#folder));
      if (first === undefined) return false;
      if (await this.#isNext(first, undefined)) {
        this.#source = first;
        return true;
      }
      await first.handle.close();
    }
  }

  /** The block's records are durable: go on behind it, and remove files that come before. */
  async advance(checkpoint: EveCheckpoint): Promise<void> {
    const source = this.#source;
    if (source === undefined || this.#blockOf(source, 0, 0).fileId !== checkpoint.inode) return;
    if (checkpoint.offset !== source.offset) {
      const end = checkpoint.offset - this.#bufferAt;
      source.tail = Buffer.from(this.#buffer.subarray(Math.max(end - TAIL_BYTES, 0), end));
      source.offset = checkpoint.offset;
    }
    const names = await listEveFiles(this.#folder);
    if (names.length < 2 && this.#finished.size === 0) return;
    const here = await this.#nameOf(source, names);
    if (here < 0) return; // deleted: those before it go with the next one
    for (const old of names.slice(0, here)) await rm(join(this.#folder, old), {force: true});
    this.#finished.clear();
  }

  async close(): Promise<void> {
    await this.#source?.handle.close();
    this.#source = undefined;
  }
}
