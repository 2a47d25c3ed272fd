// SPDX-License-Identifier: Apache-2.0
/**
 * Reads the EVE files of one endpoint in order, in blocks of whole lines. Reading does not move the position; `advance` does, after the
 * caller has made the block's records durable. Files that are read to their end are removed after the position in the next one is durable.
 */
import {constants} from 'node:fs';
import {type FileHandle, open, rm} from 'node:fs/promises';
import {join} from 'node:path';
import type {EveCheckpoint} from '../record-sink.ts';
import {EVE_FILE} from '../suricata/config.ts';
import {listEveFiles, readFileId} from './eve-files.ts';

const NEWLINE = 0x0a;

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
  readonly name: string;
  readonly handle: FileHandle;
  readonly id: string;
  readonly device: string;
  readonly inode: string;
  offset: number;
};

export class EveReader {
  readonly #folder: string;
  readonly #lineBytesMax: number;
  #buffer: Buffer;
  #source: Source | undefined;
  /** Inside a line that is too long. */
  #skipping = false;

  constructor(folder: string, limits: {readonly eveReadBytes: number; readonly eveLineBytesMax: number}) {
    this.#folder = folder;
    this.#lineBytesMax = limits.eveLineBytesMax;
    this.#buffer = Buffer.allocUnsafe(limits.eveReadBytes);
  }

  /**
   * Goes to the checkpoint. Resolves to false when there are files and none is the checkpoint's: then reading begins with the oldest file there is.
   * Files older than the checkpoint's were read to their end before and are removed.
   */
  async seek(checkpoint: EveCheckpoint | undefined): Promise<boolean> {
    const names = await listEveFiles(this.#folder);
    for (const [index, name] of checkpoint === undefined ? [] : names.entries()) {
      const source = await this.#openSource(name);
      if (source !== undefined && source.inode === checkpoint?.inode) {
        source.offset = Math.min(checkpoint.offset, (await source.handle.stat()).size);
        for (const old of names.slice(0, index)) await rm(join(this.#folder, old), {force: true});
        this.#source = source;
        return true;
      }
      await source?.handle.close();
    }
    return checkpoint === undefined || names.length === 0;
  }

  /** Undefined when the file is not there, or has no id line yet. The id stands for the inode: it survives a copy of the folder. */
  async #openSource(name: string): Promise<Source | undefined> {
    const handle = await open(join(this.#folder, name), constants.O_RDONLY | constants.O_NOFOLLOW).catch(
      () => undefined,
    );
    if (handle === undefined) return undefined;
    const [id, stat] = [await readFileId(handle), await handle.stat()];
    if (id === undefined && stat.size === 0) {
      await handle.close();
      return undefined;
    }
    const known = id ?? `inode-${stat.dev}-${stat.ino}`;
    return {name, handle, id: known, device: String(stat.dev), inode: known, offset: 0};
  }

  /** The next whole lines; undefined: nothing now. */
  async read(): Promise<EveBlock | undefined> {
    if (this.#source === undefined && !(await this.#openFirst())) return undefined;
    const source = this.#source;
    if (source === undefined) return undefined;
    for (;;) {
      const {bytesRead} = await source.handle.read(this.#buffer, 0, this.#buffer.length, source.offset);
      const filled = this.#buffer.subarray(0, bytesRead);
      const end = filled.lastIndexOf(NEWLINE) + 1;
      if (end > 0) return this.#block(source, filled.subarray(0, end));
      if (bytesRead < this.#buffer.length) return this.#atEnd(source, bytesRead);
      if (this.#buffer.length < this.#lineBytesMax)
        this.#buffer = Buffer.allocUnsafe(Math.min(this.#buffer.length * 4, this.#lineBytesMax));
      else {
        this.#skipping = true;
        return {...this.#blockOf(source, 0, bytesRead), bytes: filled.subarray(0, 0), unreadable: 0};
      }
    }
  }

  #blockOf(source: Source, skip: number, length: number): Omit<EveBlock, 'bytes' | 'unreadable'> {
    return {
      start: source.offset + skip,
      fileId: source.id,
      checkpoint: {device: source.device, inode: source.inode, offset: source.offset + length},
    };
  }

  /** Leaves out the rest of a line that was too long. */
  #block(source: Source, lines: Buffer): EveBlock {
    if (!this.#skipping) return {...this.#blockOf(source, 0, lines.length), bytes: lines, unreadable: 0};
    this.#skipping = false;
    const rest = lines.indexOf(NEWLINE) + 1;
    return {...this.#blockOf(source, rest, lines.length), bytes: lines.subarray(rest), unreadable: 1};
  }

  /** A rotated file is finished once something was written to a later one: then an incomplete last line stays incomplete. */
  async #atEnd(source: Source, tail: number): Promise<EveBlock | undefined> {
    const names = await listEveFiles(this.#folder);
    if (names.length < 2) return undefined;
    const later = names.slice((await this.#nameOf(source, names)) + 1);
    const begun = (await Promise.all(later.map(name => this.#hasEvents(name)))).includes(true);
    if (!begun) return undefined;
    // Looked at after the later file has begun: what came meanwhile is not the tail.
    if ((await source.handle.stat()).size > source.offset + tail) return this.read();
    const successor = await this.#openSource(later[0] ?? EVE_FILE);
    if (successor === undefined) return undefined;
    await source.handle.close();
    this.#source = successor;
    this.#skipping = false;
    return {...this.#blockOf(successor, 0, 0), bytes: Buffer.alloc(0), unreadable: tail > 0 ? 1 : 0};
  }

  /** More than our line that names the file. */
  async #hasEvents(name: string): Promise<boolean> {
    const source = await this.#openSource(name);
    if (source === undefined) return false;
    try {
      return (await source.handle.stat()).size > (await this.#headerBytes(source));
    } finally {
      await source.handle.close();
    }
  }

  async #headerBytes(source: Source): Promise<number> {
    const {buffer, bytesRead} = await source.handle.read(Buffer.alloc(256), 0, 256, 0);
    return buffer.subarray(0, bytesRead).indexOf(NEWLINE) + 1;
  }

  /** The name at which our open file is now. */
  async #nameOf(source: Source, names: readonly string[]): Promise<number> {
    for (const [index, name] of names.entries()) {
      const other = await this.#openSource(name);
      await other?.handle.close();
      if (other?.id === source.id) return index;
    }
    return -1;
  }

  async #openFirst(): Promise<boolean> {
    const [oldest] = await listEveFiles(this.#folder);
    this.#source = oldest === undefined ? undefined : await this.#openSource(oldest);
    return this.#source !== undefined;
  }

  /** The block's records are durable: go on behind it, and remove files that come before. */
  async advance(checkpoint: EveCheckpoint): Promise<void> {
    const source = this.#source;
    if (source === undefined || source.inode !== checkpoint.inode) return;
    source.offset = checkpoint.offset;
    const names = await listEveFiles(this.#folder);
    if (names.length < 2) return;
    const here = await this.#nameOf(source, names);
    for (const old of names.slice(0, Math.max(here, 0))) await rm(join(this.#folder, old), {force: true});
  }

  async close(): Promise<void> {
    await this.#source?.handle.close();
    this.#source = undefined;
  }
}
