// SPDX-License-Identifier: Apache-2.0
/** Members of a tar archive, to bytes and back. Headers are made and read by the package `tar`. Ref: POSIX pax, ustar. */
import {Header} from 'tar';
import {ArchiveError} from './archive-error.ts';

const BLOCK = 512;
const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

/** The header of a regular file. */
export const tarHeader = (path: string, size: number, mtime: Date): Buffer => {
  const block = Buffer.alloc(BLOCK);
  const header = new Header({path, size, mtime, mode: 0o600, uid: 0, gid: 0, type: 'File'});
  if (header.encode(block, 0)) throw new ArchiveError('its name or size does not fit into a tar header', path);
  return block;
};

/** What follows the content of a member. */
export const tarPadding = (size: number): Buffer => Buffer.alloc(padding(size));
export const tarEnd = (): Buffer => Buffer.alloc(2 * BLOCK);

export type TarMember = {
  readonly path: string;
  readonly size: number;
  /** Read to its end before the next member is asked for. */
  readonly content: AsyncIterable<Buffer>;
};

/** Bytes in the sizes that are asked for. */
class Bytes {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Up to `max` bytes; an empty buffer is the end. */
  async some(max: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const {value, done} = await this.#chunks.next();
      if (done === true) return this.#rest;
      this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    const taken = this.#rest.subarray(0, max);
    this.#rest = this.#rest.subarray(taken.length);
    return taken;
  }

  async exactly(count: number, what: string): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let left = count; left > 0; ) {
      const part = await this.some(left);
      if (part.length === 0) throw new ArchiveError(`cut off in ${what}`);
      parts.push(part);
      left -= part.length;
    }
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }

  async *pieces(count: number, what: string): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      const part = await this.some(left);
      if (part.length === 0) throw new ArchiveError(`cut off in ${what}`);
      left -= part.length;
      yield part;
    }
  }

  async end(): Promise<void> {
    await this.#chunks.return?.();
  }
}

/** Undefined: a number in it is damaged, for which the package throws. */
const headerIn = (block: Buffer): Header | undefined => {
  try {
    return new Header(block, 0);
  } catch {
    return undefined;
  }
};

/** Throws ArchiveError for bytes that are no tar archive of regular files, for one without its end, and for what follows it. */
export async function* tarMembers(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarMember> {
  const bytes = new Bytes(chunks);
  try {
    for (let last = 'the first header'; ; ) {
      const header = headerIn(await bytes.exactly(BLOCK, last));
      if (header?.nullBlock === true) break;
      const {path = '', size = 0, type, cksumValid = false} = header ?? {};
      const isSound = cksumValid && path !== '' && Number.isSafeInteger(size) && size >= 0;
      if (!isSound) throw new ArchiveError(`damaged tar header behind ${last}`);
      if (type !== 'File') throw new ArchiveError('not a regular file', path);
      yield {path, size, content: bytes.pieces(size, path)};
      await bytes.exactly(padding(size), path);
      last = path;
    }
    for (let rest = await bytes.some(BLOCK); rest.length > 0; rest = await bytes.some(BLOCK))
      if (rest.some(byte => byte !== 0)) throw new ArchiveError('bytes after the end of the tar archive');
  } finally {
    await bytes.end();
  }
}
