// SPDX-License-Identifier: Apache-2.0
/**
 * The body of a full list of the stored bytes, made piece by piece at the pace of the socket: however long the list, one request
 * holds one piece. Pieces are recycled, so that long lists leave nothing for the garbage collector.
 */
import {isWithin, type ListStream, type Slices} from './list-steps.ts';

export const PIECE_BYTES = 256 * 1024;
/** Free pieces kept for later lists. */
const POOLED_PIECES_MAX = 16;

const pool: Buffer[] = [];

const takePiece = (): Buffer => pool.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES);

/** Gives a piece back. Only when nothing refers to it any longer; other buffers are left alone. */
export const releasePiece = (piece: Buffer): void => {
  if (piece.buffer.byteLength === PIECE_BYTES && pool.length < POOLED_PIECES_MAX) pool.push(Buffer.from(piece.buffer));
};

const END = Buffer.from(']}\n');

/** `start item,item,…]}\n`. The objects are those of now, whatever is written while the list goes out. */
export const listStream = (start: Buffer, slices: Slices): ListStream => ({
  isShort: isWithin(slices, PIECE_BYTES),
  pieces: () => pieces(start, slices),
});

function* pieces(start: Buffer, slices: Slices): Generator<Buffer> {
  let piece = takePiece();
  let used = start.copy(piece);
  let isFirst = true;
  for (const slice of slices) {
    for (const object of slice) {
      const bytes = object.itemBytes + 1;
      if (used + bytes > piece.length) {
        yield piece.subarray(0, used);
        piece = bytes <= PIECE_BYTES ? takePiece() : Buffer.allocUnsafeSlow(bytes);
        used = 0;
      }
      if (!isFirst) piece[used++] = 0x2c;
      isFirst = false;
      used = object.write(piece, used);
    }
  }
  if (used + END.length > piece.length) {
    yield piece.subarray(0, used);
    piece = takePiece();
    used = 0;
  }
  used += END.copy(piece, used);
  yield piece.subarray(0, used);
}
