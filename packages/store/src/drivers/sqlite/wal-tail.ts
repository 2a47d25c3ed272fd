// SPDX-License-Identifier: Apache-2.0
/**
 * What a write-ahead log holds behind the transactions that SQLite would recover from it. SQLite stops at the first frame
 * whose checksum does not fit and says nothing, whatever follows. Ref: sqlite.org/fileformat2.html#the_write_ahead_log
 *
 *   header (32 bytes)   magic (its lowest bit: byte order of the checksums), version, page size, checkpoint, salts (2), sums (2)
 *   frame               page number, pages of the database after the commit (0: no commit), salts (2), sums (2), then the page
 *
 * I1 the sums of a frame continue those of the frame before it, over the first 8 bytes of its header and its page.
 * I2 a frame belongs to the present generation when its salts are those of the header. A reset of the log changes the salts
 *    and leaves older frames behind, whose content is in the database.
 * I3 each COMMIT is synced before the next one writes, so at most one commit frame can follow what a power cut tore.
 */

/** Reads into the whole of `bytes` from `position`; returns how many bytes there were. */
export type ReadAt = (bytes: Uint8Array, position: number) => number;

export type WalTail = {
  /** Where the first frame is that does not fit, in bytes from the start of the log; 0: its header. */
  readonly offset: number;
  /** What SQLite would ignore: frames of the present generation behind the last whole transaction, and their bytes. */
  readonly frames: number;
  readonly bytes: number;
  /** Transactions that end in these frames. With a damaged header: of all generations, because none is known. */
  readonly commits: number;
  /** Largest rowid in leaf pages of tables that SQLite would recover, and in those that it would ignore; 0: in no page. */
  readonly keptRowid: number;
  readonly lostRowid: number;
};

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** Without its lowest bit. */
const MAGIC = 0x377f0682;
const VERSION = 3_007_000;
/** Bytes of a frame header that its sums cover. */
const SUMMED_BYTES = 8;
const TABLE_LEAF = 0x0d;
const LEAF_HEADER_BYTES = 8;

type Sums = readonly [number, number];

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const addSums = ([a, b]: Sums, bytes: Uint8Array, littleEndian: boolean): Sums => {
  const view = viewOf(bytes);
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    a = (a + view.getUint32(at, littleEndian) + b) >>> 0;
    b = (b + view.getUint32(at + 4, littleEndian) + a) >>> 0;
  }
  return [a, b];
};

const isSame = ([a, b]: Sums, [c, d]: Sums): boolean => a === c && b === d;

type Header = {readonly isWhole: boolean; readonly littleEndian: boolean; readonly salts: Sums; readonly sums: Sums};

const headerOf = (bytes: Uint8Array, pageBytes: number): Header => {
  const view = viewOf(bytes);
  const magic = view.getUint32(0);
  const littleEndian = (magic & 1) === 0;
  const sums: Sums = [view.getUint32(24), view.getUint32(28)];
  const isWhole =
    (magic & ~1) === MAGIC &&
    view.getUint32(4) === VERSION &&
    view.getUint32(8) === pageBytes &&
    isSame(sums, addSums([0, 0], bytes.subarray(0, 24), littleEndian));
  return {isWhole, littleEndian, salts: [view.getUint32(16), view.getUint32(20)], sums};
};

/** SQLite's variable-length integer as [value, bytes]. */
const varint = (bytes: Uint8Array, at: number): readonly [number, number] => {
  let value = 0;
  for (let length = 1; length <= 8; length++) {
    const byte = bytes[at + length - 1] ?? 0;
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return [value, length];
  }
  return [value * 256 + (bytes[at + 8] ?? 0), 9];
};

/** The largest rowid of a leaf page of a table; 0 for other pages. Page 1 begins with the header of the file and is no leaf by this. */
const lastRowid = (page: Uint8Array): number => {
  const view = viewOf(page);
  const cells = view.getUint16(3);
  const pointer = LEAF_HEADER_BYTES + 2 * (cells - 1);
  if (page[0] !== TABLE_LEAF || cells === 0 || pointer + 2 > page.length) return 0;
  const cell = view.getUint16(pointer);
  const [, payloadLength] = varint(page, cell);
  return varint(page, cell + payloadLength)[0];
};

class Scan {
  offset = -1;
  frames = 0;
  bytes = 0;
  commits = 0;
  keptRowid = 0;
  lostRowid = 0;
  readonly #header: Header;
  #sums: Sums;
  /** Whether the frame before belongs to the present generation. */
  #continues = true;

  constructor(header: Header) {
    this.#header = header;
    this.#sums = header.sums;
    if (!header.isWhole) this.offset = 0;
  }

  get isDamaged(): boolean {
    return this.offset >= 0;
  }

  frame(frame: Uint8Array, position: number): void {
    const view = viewOf(frame);
    const page = frame.subarray(FRAME_HEADER_BYTES);
    const isCommit = view.getUint32(4) !== 0;
    const stored: Sums = [view.getUint32(16), view.getUint32(20)];
    const {littleEndian} = this.#header;
    const sums = addSums(addSums(this.#sums, frame.subarray(0, SUMMED_BYTES), littleEndian), page, littleEndian);
    const fits = isSame(sums, stored);
    const hasSalts = this.#hasSalts(view);
    this.#sums = stored;
    if (!this.isDamaged && !(fits && hasSalts && view.getUint32(0) !== 0)) this.offset = position;
    // Salts have no sum over them: a frame whose sums continue those of its generation belongs to it.
    this.#continues = hasSalts || (fits && this.#continues);
    if (!this.#continues) return;
    if (fits) this.lostRowid = Math.max(this.lostRowid, lastRowid(page));
    this.frames++;
    this.bytes += frame.length;
    if (!isCommit) return;
    if (this.isDamaged) this.commits++;
    else this.#keep();
  }

  /** The rest of a frame that ends with the file. */
  rest(part: Uint8Array, position: number): void {
    const view = viewOf(part);
    if (part.length >= FRAME_HEADER_BYTES && !this.#hasSalts(view)) return;
    if (!this.isDamaged) this.offset = position;
    this.bytes += part.length;
    if (part.length < FRAME_HEADER_BYTES) return;
    this.frames++;
    if (view.getUint32(4) !== 0) this.commits++;
  }

  /** What came since the last commit belongs to a whole transaction. */
  #keep(): void {
    this.keptRowid = Math.max(this.keptRowid, this.lostRowid);
    [this.frames, this.bytes, this.lostRowid] = [0, 0, 0];
  }

  #hasSalts(frame: DataView): boolean {
    return !this.#header.isWhole || isSame(this.#header.salts, [frame.getUint32(8), frame.getUint32(12)]);
  }
}

/** Undefined: SQLite recovers all of it. Holds one frame at a time. `pageBytes`: the page size of the database. */
export function findTail(read: ReadAt, pageBytes: number): WalTail | undefined {
  const start = new Uint8Array(HEADER_BYTES);
  const length = read(start, 0);
  if (length === 0) return undefined;
  if (length < HEADER_BYTES) return {offset: 0, frames: 0, bytes: length, commits: 0, keptRowid: 0, lostRowid: 0};
  const scan = new Scan(headerOf(start, pageBytes));
  const frame = new Uint8Array(FRAME_HEADER_BYTES + pageBytes);
  let position = HEADER_BYTES;
  let got = read(frame, position);
  for (; got === frame.length; got = read(frame, position)) {
    scan.frame(frame, position);
    position += got;
  }
  if (got > 0) scan.rest(frame.subarray(0, got), position);
  const {offset, frames, bytes, commits, keptRowid, lostRowid} = scan;
  if (bytes === 0) return undefined;
  return {offset: offset < 0 ? position - bytes : offset, frames, bytes, commits, keptRowid, lostRowid};
}
