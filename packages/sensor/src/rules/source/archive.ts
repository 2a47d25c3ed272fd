// SPDX-License-Identifier: Apache-2.0
/**
 * Archives of rules, read in memory: nothing of them is ever written where its names say.
 * A name that leads out of the archive refuses it, links and devices are left out, and every size is bounded before it is taken.
 */
import {promisify} from 'node:util';
import {gunzip} from 'node:zlib';
import {Parser, type ReadEntry} from 'tar';
import {fromBuffer, type Entry as ZipEntry, type ZipFile} from 'yauzl';
import {ARCHIVE_FILES_MAX, ARCHIVE_UNPACKED_BYTES_MAX} from '../../limits.ts';

/** By path in the archive, with `/`. */
export type Unpacked = ReadonlyMap<string, Buffer>;
/** An archive is damaged, too large, or leads out of itself; the message says which. */
export class ArchiveFault extends Error {
  override readonly name = 'ArchiveFault';
}

const GZIP = Buffer.from([0x1f, 0x8b]);
const ZIP = Buffer.from('PK\x03\x04', 'latin1');
const TAR_MARK_AT = 257;

const startsWith = (bytes: Buffer, mark: Buffer): boolean => bytes.subarray(0, mark.length).equals(mark);
const isTar = (bytes: Buffer): boolean => bytes.toString('latin1', TAR_MARK_AT, TAR_MARK_AT + 5) === 'ustar';

/** What is kept of an archive while it is read. */
class Collected {
  readonly files = new Map<string, Buffer>();
  #bytes = 0;
  #entries = 0;

  /** The place of a file; throws for one that is not inside, and for too many. */
  place(name: string): string {
    this.#entries++;
    if (this.#entries > ARCHIVE_FILES_MAX) throw new ArchiveFault(`holds more than ${ARCHIVE_FILES_MAX} files`);
    const parts = name.split('/').filter(part => part !== '.' && part !== '');
    if (name.startsWith('/') || /[\\\0]/.test(name) || parts.includes('..'))
      throw new ArchiveFault(`holds a file outside of itself: ${JSON.stringify(name.slice(0, 200))}`);
    return parts.join('/');
  }

  count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > ARCHIVE_UNPACKED_BYTES_MAX)
      throw new ArchiveFault(`is larger than ${ARCHIVE_UNPACKED_BYTES_MAX} bytes when unpacked`);
  }
}

const TAR_FILES = new Set(['File', 'OldFile', 'ContiguousFile']);

const untar = (bytes: Buffer): Promise<Unpacked> =>
  new Promise((resolve, reject) => {
    const collected = new Collected();
    let fault: unknown;
    const onReadEntry = (entry: ReadEntry): void => {
      const chunks: Buffer[] = [];
      try {
        const place = collected.place(entry.path);
        collected.count(entry.size);
        if (TAR_FILES.has(entry.type)) {
          entry.on('data', chunk => chunks.push(chunk));
          entry.on('end', () => collected.files.set(place, Buffer.concat(chunks)));
        }
      } catch (error) {
        fault ??= error;
      }
      entry.resume();
    };
    const parser = new Parser({strict: true, onReadEntry});
    parser.on('error', error => reject(fault ?? new ArchiveFault(`is damaged: ${error.message}`)));
    parser.on('end', () => (fault === undefined ? resolve(collected.files) : reject(fault)));
    parser.end(bytes);
  });

const LINK = 0o120000;
const FORMAT = 0o170000;
const isLink = (entry: ZipEntry): boolean => ((entry.externalFileAttributes >>> 16) & FORMAT) === LINK;

const openZip = (bytes: Buffer): Promise<ZipFile> =>
  new Promise((resolve, reject) => {
    fromBuffer(bytes, {lazyEntries: true, validateEntrySizes: true}, (error, zip) =>
      error === null ? resolve(zip) : reject(error),
    );
  });

const readEntry = (zip: ZipFile, entry: ZipEntry): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => {
      if (error !== null) return reject(error);
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => resolve(Buffer.concat(chunks)));
      stream.on('error', reject);
    });
  });

const unzip = async (bytes: Buffer): Promise<Unpacked> => {
  const collected = new Collected();
  try {
    const zip = await openZip(bytes);
    await new Promise<void>((resolve, reject) => {
      zip.on('error', reject);
      zip.on('end', resolve);
      zip.on('entry', (entry: ZipEntry) => {
        const take = async (): Promise<void> => {
          const place = collected.place(entry.fileName);
          collected.count(entry.uncompressedSize);
          if (!entry.fileName.endsWith('/') && !isLink(entry)) collected.files.set(place, await readEntry(zip, entry));
          zip.readEntry();
        };
        take().catch(reject);
      });
      zip.readEntry();
    });
  } catch (error) {
    if (error instanceof ArchiveFault) throw error;
    throw new ArchiveFault(`is damaged: ${error instanceof Error ? error.message : String(error)}`);
  }
  return collected.files;
};

const inflate = async (bytes: Buffer): Promise<Buffer> => {
  try {
    return await promisify(gunzip)(bytes, {maxOutputLength: ARCHIVE_UNPACKED_BYTES_MAX});
  } catch (error) {
    const isLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    const why = isLarge ? `is larger than ${ARCHIVE_UNPACKED_BYTES_MAX} bytes when unpacked` : 'is damaged';
    throw new ArchiveFault(why, {cause: error});
  }
};

/** The files of a .zip, .tar or .tar.gz; the bytes themselves, unpacked from .gz, if they are none. Throws ArchiveFault. */
export const unpack = async (bytes: Buffer): Promise<Unpacked | Buffer> => {
  if (startsWith(bytes, ZIP)) return unzip(bytes);
  const plain = startsWith(bytes, GZIP) ? await inflate(bytes) : bytes;
  return isTar(plain) ? untar(plain) : plain;
};
