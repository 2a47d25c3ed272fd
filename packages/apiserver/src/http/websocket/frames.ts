// SPDX-License-Identifier: Apache-2.0
/** Frames of a WebSocket, from both ends. Ref: RFC 6455 section 5. */

const OPCODE = {text: 0x1, binary: 0x2, close: 0x8, ping: 0x9, pong: 0xa} as const;
const FINAL = 0x80;
const MASKED = 0x80;
/** A payload of a frame that controls the connection is at most this long; so is one whose length is a single byte. */
const SHORT_MAX = 125;
const TWO_BYTES = 126;
const EIGHT_BYTES = 127;
const MASK_BYTES = 4;

export const CLOSE = {normal: 1000, protocolError: 1002} as const;

/** One message in one frame. A server does not mask. */
const frame = (opcode: number, payload: Buffer): Buffer => {
  const {length} = payload;
  const head = Buffer.alloc(length <= SHORT_MAX ? 2 : length <= 0xff_ff ? 4 : 10);
  head[0] = FINAL | opcode;
  if (head.length === 2) head[1] = length;
  else if (head.length === 4) {
    head[1] = TWO_BYTES;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = EIGHT_BYTES;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, payload]);
};

export const messageFrame = (kind: 'text' | 'binary', message: Buffer): Buffer => frame(OPCODE[kind], message);

export const pongFrame = (payload: Buffer): Buffer => frame(OPCODE.pong, payload);

export const closeFrame = (status: number): Buffer => {
  const payload = Buffer.alloc(2);
  payload.writeUInt16BE(status);
  return frame(OPCODE.close, payload);
};

/** What a client sent that asks for an answer. A fault: what follows cannot be read. */
export type ClientWord =
  | {readonly type: 'ping'; readonly payload: Buffer}
  | {readonly type: 'close'}
  | {readonly type: 'fault'};

type Head = {readonly bytes: number; readonly length: number; readonly opcode: number; readonly isFinal: boolean};

/**
 * Reads what a client sends, however it is cut. Messages are skipped and not kept: on a watch a client has nothing to
 * say. Holds at most one frame that controls the connection.
 */
export class ClientFrames {
  #pending: Buffer = Buffer.alloc(0);
  /** Bytes of a message that are still to come. */
  #skip = 0;

  /** Bytes of memory that are held between chunks. */
  get keptBytes(): number {
    return this.#pending.buffer.byteLength;
  }

  /** The words that are complete now; nothing follows a fault or a close. */
  push(chunk: Buffer): ClientWord[] {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    const words: ClientWord[] = [];
    for (let word = this.#next(); word !== undefined; word = this.#next()) {
      if (word !== 'skipped') words.push(word);
      if (word !== 'skipped' && word.type !== 'ping') break;
    }
    this.#pending = ownCopy(this.#pending);
    return words;
  }

  /** Undefined: more bytes are needed. */
  #next(): ClientWord | 'skipped' | undefined {
    this.#skipMessage();
    const head = headOf(this.#pending);
    if (head === undefined || head === 'unmasked') return head && {type: 'fault'};
    const {bytes, length, opcode, isFinal} = head;
    if (opcode < OPCODE.close) {
      this.#pending = this.#pending.subarray(bytes);
      this.#skip = length;
      return 'skipped';
    }
    if (!isFinal || length > SHORT_MAX) return {type: 'fault'};
    if (this.#pending.length < bytes + length) return undefined;
    const payload = unmasked(this.#pending.subarray(bytes - MASK_BYTES, bytes + length));
    this.#pending = this.#pending.subarray(bytes + length);
    if (opcode === OPCODE.close) return {type: 'close'};
    return opcode === OPCODE.ping ? {type: 'ping', payload} : 'skipped';
  }

  #skipMessage(): void {
    const skipped = Math.min(this.#skip, this.#pending.length);
    this.#skip -= skipped;
    this.#pending = this.#pending.subarray(skipped);
  }
}

/** A part of a chunk would keep all of it in memory. */
const ownCopy = (part: Buffer): Buffer => {
  const copy = Buffer.allocUnsafeSlow(part.length);
  part.copy(copy);
  return copy;
};

/** Undefined: not there as a whole. A client that does not mask is at fault. Ref: RFC 6455 section 5.1. */
const headOf = (bytes: Buffer): Head | 'unmasked' | undefined => {
  const [first = 0, second = 0] = bytes;
  if (bytes.length < 2) return undefined;
  if ((second & MASKED) === 0) return 'unmasked';
  const short = second & ~MASKED;
  const extra = short === TWO_BYTES ? 2 : short === EIGHT_BYTES ? 8 : 0;
  if (bytes.length < 2 + extra + MASK_BYTES) return undefined;
  const length = extra === 2 ? bytes.readUInt16BE(2) : extra === 8 ? Number(bytes.readBigUInt64BE(2)) : short;
  return {bytes: 2 + extra + MASK_BYTES, length, opcode: first & 0xf, isFinal: (first & FINAL) !== 0};
};

/** A mask and what it masks. */
const unmasked = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.subarray(MASK_BYTES).map((byte, i) => byte ^ (bytes[i % MASK_BYTES] ?? 0)));
