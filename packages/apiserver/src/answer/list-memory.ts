// SPDX-License-Identifier: Apache-2.0
/** Memory that all lists of a server share while they are sent, however many readers there are and however slow. */
import {STEPS} from '../base/limits.ts';

export class ListMemory {
  readonly #preparedBytesMax: number;
  #preparedBytes = 0;
  /** Used again, so that long lists leave nothing for the garbage collector. */
  readonly #free: Buffer[] = [];

  constructor(preparedBytesMax: number) {
    this.#preparedBytesMax = preparedBytesMax;
  }

  /** For what is encoded before the length of the list is known. False: there is no room for it. */
  prepare({length}: Buffer): boolean {
    if (this.#preparedBytes + length > this.#preparedBytesMax) return false;
    this.#preparedBytes += length;
    return true;
  }

  /** What was prepared is on its way, or not needed. */
  unprepare({length}: Buffer): void {
    this.#preparedBytes -= length;
  }

  /** A buffer of `STEPS.listPieceBytes`. */
  takePiece(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(STEPS.listPieceBytes);
  }

  /** Gives a piece back. Only when nothing refers to it any longer; other buffers are left alone. */
  releasePiece(piece: Buffer): void {
    if (piece.buffer.byteLength === STEPS.listPieceBytes && this.#free.length < STEPS.freeListPiecesMax)
      this.#free.push(Buffer.from(piece.buffer));
  }
}
