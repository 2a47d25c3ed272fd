// SPDX-License-Identifier: Apache-2.0
/** A backup as bytes: tar inside zstd, with a checksum of each member and one of the file. Format: docs/reference/backup-format.md. */
import {createHash} from 'node:crypto';
import {createReadStream} from 'node:fs';
import {Readable} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import {constants, createZstdCompress} from 'node:zlib';
import type {Entry} from '@palisade/store';
import {encodeBlocks} from '@palisade/store/backup';
import {ArchiveError} from './archive-error.ts';
import {MANIFEST_FILE, type Manifest, OBJECTS_FOLDER, SUMS_FILE} from './manifest.ts';
import {tarEnd, tarHeader, tarPadding} from './tar-blocks.ts';
import {trailerOf} from './trailer.ts';

/** A small file of the data folder. */
export type DataFile = {
  /** In the data folder, with slashes: `pki/ca.key`. */
  readonly path: string;
  readonly content: Buffer;
};
/** A file that is read while it is packed, and does not change meanwhile. */
export type LargeFile = {
  /** Where it is. */
  readonly file: string;
  /** In the data folder, with slashes. */
  readonly path: string;
  readonly bytes: number;
  /** Called while it is read: a client that takes the archive slowly makes that last. */
  readonly onRead?: (() => void) | undefined;
};

export type ArchiveContent = {
  readonly manifest: Manifest;
  readonly entries: readonly Entry[];
  readonly files: readonly DataFile[];
  readonly records?: AsyncIterable<LargeFile> | undefined;
};

const ZSTD = {
  params: {[constants.ZSTD_c_checksumFlag]: 1, [constants.ZSTD_c_compressionLevel]: 3},
  chunkSize: 256 * 1024,
};

/** `objects/000001`, in the order of their keys. */
export const objectsName = (number: number): string => `${OBJECTS_FOLDER}/${String(number).padStart(6, '0')}`;

/** Members, one after the other; their checksums are collected. */
class Members {
  readonly #mtime: Date;
  readonly #sums: string[] = [];

  constructor(mtime: Date) {
    this.#mtime = mtime;
  }

  /** In one piece: each piece takes the compressor a turn of the event loop. */
  whole(path: string, content: Buffer): Buffer {
    this.#note(path, createHash('sha256').update(content).digest('hex'));
    return this.#member(path, content);
  }

  async *large({file, path, bytes, onRead}: LargeFile): AsyncGenerator<Buffer> {
    yield tarHeader(path, bytes, this.#mtime);
    const sum = createHash('sha256');
    let size = 0;
    for await (const chunk of createReadStream(file, {highWaterMark: 1024 * 1024})) {
      sum.update(chunk);
      size += chunk.length;
      yield chunk;
      onRead?.(); // it was taken
    }
    if (size !== bytes) throw new ArchiveError(`its size changed from ${bytes} to ${size} while it was read`, path);
    yield tarPadding(bytes);
    this.#note(path, sum.digest('hex'));
  }

  sums(): Buffer {
    return Buffer.concat([this.#member(SUMS_FILE, Buffer.from(this.#sums.join(''))), tarEnd()]);
  }

  #member(path: string, content: Buffer): Buffer {
    return Buffer.concat([tarHeader(path, content.length, this.#mtime), content, tarPadding(content.length)]);
  }

  #note(path: string, sum: string): void {
    this.#sums.push(`${sum}  ${path}\n`);
  }
}

async function* tarOf(content: ArchiveContent, pause: () => Promise<void>): AsyncGenerator<Buffer> {
  const {manifest, entries, files, records} = content;
  const members = new Members(new Date(manifest.createdAt));
  yield members.whole(MANIFEST_FILE, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
  let number = 0;
  for (const block of encodeBlocks(entries)) {
    number += 1;
    yield members.whole(objectsName(number), block);
    await pause();
  }
  for (const {path, content: bytes} of files) yield members.whole(path, bytes);
  for await (const file of records ?? []) yield* members.large(file);
  yield members.sums();
}

/** `pause` runs after each block of objects, so that other work does. A reader that returns early ends all of it. */
export async function* archiveOf(content: ArchiveContent, pause: () => Promise<void>): AsyncGenerator<Buffer> {
  const zstd = createZstdCompress(ZSTD);
  const packed = pipeline(Readable.from(tarOf(content, pause)), zstd);
  packed.catch(() => undefined); // awaited below, unless the reader has left
  const sum = createHash('sha256');
  for await (const chunk of zstd as AsyncIterable<Buffer>) {
    sum.update(chunk);
    yield chunk;
  }
  await packed;
  yield trailerOf(sum.digest());
}
