// SPDX-License-Identifier: Apache-2.0
/**
 * Frames on their way into Suricata: a bounded queue that is already the byte stream of a capture file (pcap, microseconds).
 *
 * Frames are copied into chunks, so a packet costs no allocation; the writer takes the unwritten part of the oldest chunk. Written bytes
 * stay for a while: when Suricata dies, what it had not read from the pipe is known to the byte, and `rewind` sends it again.
 * I1 a chunk starts on a record; I2 only whole records are queued; I3 order is kept; I4 queued bytes ≤ bytesMax.
 */

/** pcap file header: magic (µs), version 2.4, zone 0, accuracy 0, snap length, link type Ethernet. */
export const pcapHeader = (): Buffer => {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(0xa1b2c3d4, 0);
  header.writeUInt16LE(2, 4);
  header.writeUInt16LE(4, 6);
  header.writeUInt32LE(SNAP_BYTES, 16);
  header.writeUInt32LE(1, 20);
  return header;
};

const RECORD_HEADER_BYTES = 16;
/** A frame in a UDP datagram is shorter; virtual links hand over frames of up to 65,535 + 4. */
export const SNAP_BYTES = 65_535 + 4;
/** More than a pipe can hold (64 KiB by default, and what is being written). */
const HISTORY_BYTES = 512 * 1024;
/** Suricata reads through a stdio buffer of this size: what it held when it died was perhaps not inspected. */
const READER_BUFFER_BYTES = 4096;

type Chunk = {
  readonly bytes: Buffer /** Stream position of its first byte. */;
  base: number;
  used: number;
  written: number;
};

export class FrameQueue {
  readonly #chunkBytes: number;
  readonly #bytesMax: number;
  #chunks: Chunk[] = [];
  #spare: Buffer[] = [];
  #pending = 0;
  #position = 0;
  #written = 0;
  /** Stream position where the present reader began. */
  #readerStart = 0;
  #lastMs = 0;

  constructor(chunkBytes: number, bytesMax: number) {
    this.#chunkBytes = Math.max(chunkBytes, SNAP_BYTES + RECORD_HEADER_BYTES);
    this.#bytesMax = bytesMax;
  }

  /** Bytes not yet written. */
  get pendingBytes(): number {
    return this.#pending;
  }

  /** Copies `front` and `source` from `start` to its end as one record. False: no room, the frame is dropped. Time never runs backwards. */
  push(source: Buffer, start: number, nowMs: number, front?: Buffer): boolean {
    const frontBytes = front === undefined ? 0 : front.length;
    const size = frontBytes + source.length - start;
    const record = RECORD_HEADER_BYTES + size;
    if (size > SNAP_BYTES || this.#pending + record > this.#bytesMax) return false;
    let chunk = this.#chunks.at(-1);
    if (chunk === undefined || chunk.used + record > chunk.bytes.length) {
      chunk = {
        bytes: this.#spare.pop() ?? Buffer.allocUnsafeSlow(this.#chunkBytes),
        base: this.#position,
        used: 0,
        written: 0,
      };
      this.#chunks.push(chunk);
    }
    if (nowMs > this.#lastMs) this.#lastMs = nowMs;
    const {bytes, used} = chunk;
    const seconds = Math.floor(this.#lastMs / 1000);
    bytes.writeUInt32LE(seconds >>> 0, used);
    bytes.writeUInt32LE(Math.floor((this.#lastMs - seconds * 1000) * 1000), used + 4);
    bytes.writeUInt32LE(size, used + 8);
    bytes.writeUInt32LE(size, used + 12);
    front?.copy(bytes, used + RECORD_HEADER_BYTES);
    source.copy(bytes, used + RECORD_HEADER_BYTES + frontBytes, start);
    chunk.used += record;
    this.#pending += record;
    this.#position += record;
    return true;
  }

  /** The unwritten part of the oldest unfinished chunk. Valid until `wrote`. */
  next(): Buffer | undefined {
    if (this.#pending === 0) return undefined;
    const chunk = this.#chunks.find(one => one.written < one.used);
    return chunk?.bytes.subarray(chunk.written, chunk.used);
  }

  /** The first `count` bytes of `next` are in the pipe. */
  wrote(count: number): void {
    const chunk = this.#chunks.find(one => one.written < one.used);
    if (chunk === undefined) return;
    chunk.written += count;
    this.#pending -= count;
    this.#written += count;
    this.#retire();
  }

  /** Chunks that no pipe can still hold go back to the pool; the newest stays, it is being filled. */
  #retire(): void {
    for (;;) {
      const first = this.#chunks[0];
      const second = this.#chunks[1];
      if (first === undefined || second === undefined || first.written < first.used) return;
      if (this.#written - second.base < HISTORY_BYTES) return;
      this.#chunks.shift();
      if (this.#spare.length < 4) this.#spare.push(first.bytes);
    }
  }

  /** From here on a new reader reads. */
  beginReader(): void {
    this.#readerStart = this.#written;
  }

  /** Throws away everything that is not written yet. Returns how many frames that `counts` holds for. */
  discard(counts: (frame: Buffer) => boolean): number {
    let frames = 0;
    for (const chunk of this.#chunks)
      for (let at = chunk.written; at < chunk.used; ) {
        const start = at + RECORD_HEADER_BYTES;
        at = start + chunk.bytes.readUInt32LE(at + 8);
        if (counts(chunk.bytes.subarray(start, at))) frames++;
      }
    this.#chunks = [];
    this.#written = this.#position;
    this.#pending = 0;
    return frames;
  }

  /**
   * The reader died and left `unread` of the written bytes: they are queued again, from the record that was being read.
   * Returns how many frames that `counts` holds for the reader had taken but perhaps not inspected (an upper bound). What was read before
   * it began is not its own.
   */
  rewind(unread: number, counts: (frame: Buffer) => boolean = () => true): number {
    const read = Math.max(this.#written - unread, this.#readerStart, this.#chunks[0]?.base ?? 0);
    let doubtful = 0;
    let resume = this.#written;
    for (const chunk of this.#chunks) {
      const end = chunk.base + chunk.used;
      for (let at = chunk.base; at < end; ) {
        const next = at + RECORD_HEADER_BYTES + chunk.bytes.readUInt32LE(at - chunk.base + 8);
        const isDoubtful = at >= this.#readerStart && next <= read && next > read - READER_BUFFER_BYTES;
        if (isDoubtful && counts(chunk.bytes.subarray(at + RECORD_HEADER_BYTES - chunk.base, next - chunk.base)))
          doubtful++;
        if (next > read) {
          resume = Math.min(resume, at);
          break;
        }
        at = next;
      }
      if (end > read) break;
    }
    for (const chunk of this.#chunks) chunk.written = Math.min(Math.max(resume - chunk.base, 0), chunk.written);
    this.#pending += this.#written - resume;
    this.#written = resume;
    return doubtful;
  }
}
