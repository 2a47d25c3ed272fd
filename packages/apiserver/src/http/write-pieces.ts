// SPDX-License-Identifier: Apache-2.0
/** A long body, piece by piece at the pace of the socket. */
import type {ServerResponse} from 'node:http';
import {drained, type HttpResponse, isGone} from './exchange.ts';

/** A longer body is written in such pieces: each that is taken shows that its client reads. */
export const BODY_PIECE_BYTES = 256 * 1024;

export function* inPieces(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += BODY_PIECE_BYTES) yield body.subarray(at, at + BODY_PIECE_BYTES);
}

/** Resolves when all is written, or the client is gone. `onWritten` gets each piece that nothing refers to any longer. */
export const writePieces = async (
  response: HttpResponse,
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
  onWritten: (piece: Buffer) => void,
): Promise<void> => {
  const out = response as ServerResponse; // what both kinds have in common
  for await (const piece of pieces) {
    if (isGone(response)) return;
    if (!out.write(piece, () => onWritten(piece)) && !isGone(response)) await drained(response);
  }
  out.end();
};
