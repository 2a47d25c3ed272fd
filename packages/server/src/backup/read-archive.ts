// SPDX-License-Identifier: Apache-2.0
/**
 * Reads a whole backup file, and checks all of it: the checksum of the file, that of each member, the order and
 * names of the members, the counts, and each object. What a visitor gets is not yet checked: it counts when `readArchive` resolves.
 */
import {createHash, type Hash} from 'node:crypto';
import {createReadStream} from 'node:fs';
import {Readable} from 'node:stream';
import {createZstdDecompress} from 'node:zlib';
import type {Entry} from '@palisade/store';
import {decodeBlock, EntryFormatError} from '@palisade/store/backup';
import {PKI_FOLDER, RECORDS_FOLDER} from '../process/data-folder.ts';
import {ArchiveError} from './archive-error.ts';
import {isMemberPath, MANIFEST_FILE, type Manifest, OBJECTS_FOLDER, parseManifest, SUMS_FILE} from './manifest.ts';
import {type TarMember, tarMembers} from './tar-blocks.ts';
import {noEnd, readTrailer, sumIn, TRAILER_BYTES} from './trailer.ts';
import {objectsName} from './write-archive.ts';

export type Visitor = {
  readonly entries?: (entries: readonly Entry[]) => void | Promise<void>;
  /** Of `pki` and `records`. The content is read to its end. */
  readonly file?: (path: string, content: AsyncIterable<Buffer>) => Promise<void>;
  /** Bytes of the file that were read so far, and all, where that is known. */
  readonly progress?: (bytes: number, of?: number) => void;
  /** Whether each value must be JSON. */
  readonly checksValues?: boolean;
};

export type ArchiveSummary = {
  readonly manifest: Manifest;
  /** Of the archive file. */
  readonly bytes: number;
  readonly members: number;
  readonly pkiFiles: number;
  readonly recordFiles: number;
  readonly recordBytes: number;
};

/** Members that are read as a whole: a block of objects is 512 KiB and one object, the rest is small. */
const WHOLE_BYTES_MAX = 64 * 1024 * 1024;

const CHUNK_BYTES = 1024 * 1024;

/** Throws ArchiveError for what is wrong with the archive, and what the visitor throws. */
export async function readArchive(file: string, visitor: Visitor = {}): Promise<ArchiveSummary> {
  const {bytes} = await readTrailer(file); // a file that was cut off is noticed first
  return readArchiveStream(createReadStream(file, {highWaterMark: CHUNK_BYTES}), {
    ...visitor,
    ...(visitor.progress && {progress: read => visitor.progress?.(read, bytes)}),
  });
}

/** The same of bytes that can be read once. */
export async function readArchiveStream(chunks: AsyncIterable<Buffer>, visitor: Visitor = {}): Promise<ArchiveSummary> {
  const packed = new Packed(chunks, visitor.progress);
  let summary: ArchiveSummary;
  try {
    summary = await readMembers(unpacked(packed), 0, visitor);
  } catch (error) {
    // What is missing at its end is the reason for all other faults of a file that was cut off.
    const isCut = error instanceof ArchiveError && packed.isRead && sumIn(packed.trailer) === undefined;
    throw isCut ? noEnd(packed.bytes) : error;
  }
  const sum = sumIn(packed.trailer);
  if (sum === undefined) throw noEnd(packed.bytes);
  if (!packed.digest().equals(sum)) throw new ArchiveError('the checksum of the file does not match');
  return {...summary, bytes: packed.bytes};
}

/** The archive without its compression. `bytes`: of the file. */
export async function readMembers(
  tar: AsyncIterable<Buffer>,
  bytes: number,
  visitor: Visitor = {},
): Promise<ArchiveSummary> {
  const reading = new Reading(visitor);
  for await (const member of tarMembers(tar)) await reading.take(member);
  return reading.end(bytes);
}

/** The bytes before the trailer, which is held back, and their sum. */
class Packed {
  readonly #chunks: AsyncIterable<Buffer>;
  readonly #progress: Visitor['progress'];
  readonly #sum = createHash('sha256');
  /** The newest bytes: in the end, those of the trailer. */
  trailer: Buffer = Buffer.alloc(0);
  /** All bytes so far. */
  bytes = 0;
  isRead = false;

  constructor(chunks: AsyncIterable<Buffer>, progress: Visitor['progress']) {
    this.#chunks = chunks;
    this.#progress = progress;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for await (const chunk of this.#chunks) {
      this.bytes += chunk.length;
      const held = Buffer.concat([this.trailer, chunk]);
      const content = held.subarray(0, Math.max(0, held.length - TRAILER_BYTES));
      this.trailer = Buffer.from(held.subarray(content.length));
      this.#progress?.(this.bytes);
      if (content.length === 0) continue;
      this.#sum.update(content);
      yield content;
    }
    this.isRead = true;
  }

  digest(): Buffer {
    return this.#sum.digest();
  }
}

async function* unpacked(packed: Packed): AsyncGenerator<Buffer> {
  const zstd = createZstdDecompress({chunkSize: 256 * 1024});
  const source = Readable.from(packed);
  source.on('error', error => zstd.destroy(error));
  source.pipe(zstd);
  try {
    for await (const chunk of zstd as AsyncIterable<Buffer>) yield chunk;
    for await (const _ of source); // what follows the frame counts for the checksum of the file
  } catch (error) {
    const {code = '', message} = error as NodeJS.ErrnoException;
    if (!/^(Z_|ZSTD_)/.test(code)) throw error;
    throw new ArchiveError(`damaged before byte ${packed.bytes}: it cannot be decompressed (${message})`, undefined, {
      cause: error,
    });
  } finally {
    source.destroy();
    zstd.destroy();
  }
}

/** What was seen so far. */
class Reading {
  readonly #visitor: Visitor;
  /** Of each member but the last, by its path. */
  readonly #sums = new Map<string, string>();
  #manifest: Manifest | undefined;
  #listed: string | undefined;
  #blocks = 0;
  #objects = 0;
  #objectBytes = 0;
  #lastKey = '';
  #pkiFiles = 0;
  #recordFiles = 0;
  #recordBytes = 0;

  constructor(visitor: Visitor) {
    this.#visitor = visitor;
  }

  async take(member: TarMember): Promise<void> {
    const {path, size} = member;
    if (this.#listed !== undefined) throw new ArchiveError(`a member after ${SUMS_FILE}`, path);
    if (!isMemberPath(path)) throw new ArchiveError('unexpected name', JSON.stringify(path));
    const [folder] = path.split('/', 1);
    if (path === SUMS_FILE) this.#listed = (await wholeOf(member)).toString();
    else if (this.#manifest === undefined) await this.#takeManifest(member);
    else if (folder === OBJECTS_FOLDER) await this.#takeObjects(member, this.#manifest);
    else if (folder === PKI_FOLDER && path !== PKI_FOLDER) {
      this.#pkiFiles += 1;
      await this.#takeFile(member);
    } else if (folder === RECORDS_FOLDER && path !== RECORDS_FOLDER && this.#manifest.records) {
      this.#recordFiles += 1;
      this.#recordBytes += size;
      await this.#takeFile(member);
    } else throw new ArchiveError('unexpected member', path);
  }

  end(bytes: number): ArchiveSummary {
    const manifest = this.#manifest;
    if (manifest === undefined || this.#listed === undefined) throw new ArchiveError(`${SUMS_FILE} is missing`);
    this.#compareSums(this.#listed);
    if (this.#objects !== manifest.objects)
      throw new ArchiveError(`${this.#objects} objects found, ${manifest.objects} expected`, MANIFEST_FILE);
    if (this.#objectBytes !== manifest.objectBytes)
      throw new ArchiveError(
        `${this.#objectBytes} bytes of objects found, ${manifest.objectBytes} expected`,
        MANIFEST_FILE,
      );
    return {
      ...{manifest, bytes, members: this.#sums.size + 1},
      ...{pkiFiles: this.#pkiFiles, recordFiles: this.#recordFiles, recordBytes: this.#recordBytes},
    };
  }

  #compareSums(listed: string): void {
    const wanted = new Map(listed.split('\n').map(line => [line.slice(66), line.slice(0, 64)]));
    wanted.delete('');
    const missing = [...wanted.keys()].find(path => !this.#sums.has(path));
    if (missing !== undefined) throw new ArchiveError('is missing', missing);
    const [first, ...more] = [...this.#sums].filter(([path, sum]) => wanted.get(path) !== sum).map(([path]) => path);
    if (first === undefined) return;
    const others = more.length === 0 ? '' : ` (and of ${more.length} more)`;
    throw new ArchiveError(`checksum does not match${others}`, first);
  }

  #note(path: string, sum: Hash): void {
    if (this.#sums.has(path)) throw new ArchiveError('is there twice', path);
    this.#sums.set(path, sum.digest('hex'));
  }

  async #takeManifest(member: TarMember): Promise<void> {
    if (member.path !== MANIFEST_FILE) throw new ArchiveError(`not a backup: it does not begin with ${MANIFEST_FILE}`);
    const content = await wholeOf(member);
    this.#note(member.path, createHash('sha256').update(content));
    this.#manifest = parseManifest(content.toString());
  }

  async #takeObjects(member: TarMember, manifest: Manifest): Promise<void> {
    this.#blocks += 1;
    const wanted = objectsName(this.#blocks);
    if (member.path !== wanted) throw new ArchiveError(`found where ${wanted} is expected`, member.path);
    const content = await wholeOf(member);
    this.#note(member.path, createHash('sha256').update(content));
    const entries = entriesIn(content, member.path);
    for (const {key, value, modRevision} of entries) {
      if (Buffer.compare(Buffer.from(key), Buffer.from(this.#lastKey)) <= 0)
        throw new ArchiveError(`the key ${key} is not after ${this.#lastKey}`, member.path);
      if (modRevision > BigInt(manifest.revision))
        throw new ArchiveError(`${key} has revision ${modRevision}, later than the backup`, member.path);
      if (this.#visitor.checksValues === true) checkValue(key, value, member.path);
      this.#lastKey = key;
      this.#objects += 1;
      this.#objectBytes += value.length;
    }
    await this.#visitor.entries?.(entries);
  }

  async #takeFile({path, content}: TarMember): Promise<void> {
    const sum = createHash('sha256');
    async function* summed(): AsyncGenerator<Buffer> {
      for await (const chunk of content) {
        sum.update(chunk);
        yield chunk;
      }
    }
    const visit = this.#visitor.file;
    if (visit === undefined) for await (const _ of summed());
    else await visit(path, summed());
    this.#note(path, sum);
  }
}

const wholeOf = async ({path, size, content}: TarMember): Promise<Buffer> => {
  if (size > WHOLE_BYTES_MAX) throw new ArchiveError(`${size} bytes, at most ${WHOLE_BYTES_MAX} are expected`, path);
  const parts: Buffer[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts, size);
};

const entriesIn = (content: Buffer, path: string): readonly Entry[] => {
  try {
    return decodeBlock(content);
  } catch (error) {
    if (!(error instanceof EntryFormatError)) throw error;
    throw new ArchiveError(`damaged at byte ${error.offset}: ${error.message}`, path, {cause: error});
  }
};

const checkValue = (key: string, value: Uint8Array, path: string): void => {
  try {
    JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString());
  } catch (error) {
    throw new ArchiveError(`the value of ${key} cannot be decoded: ${(error as Error).message}`, path, {cause: error});
  }
};
