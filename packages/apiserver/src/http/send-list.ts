// SPDX-License-Identifier: Apache-2.0
/** Sends a list: whole and with its length where it is short, else while it is made. */
import type {ServerResponse} from 'node:http';
import {pipeline} from 'node:stream/promises';
import {createGzip} from 'node:zlib';
import type {ListBody} from '../answer/list-body.ts';
import type {ListMemory} from '../answer/list-memory.ts';
import type {Headers} from '../base/headers.ts';
import {STEPS} from '../base/limits.ts';
import type {Scheduler} from '../cache/watch/scheduler.ts';
import {type HttpResponse, isGone, send} from './exchange.ts';
import type {AnswerAccount} from './unread-answers.ts';
import {writePieces} from './write-pieces.ts';

/** Answers of at least this many bytes, one more than 128 KiB, are compressed for clients that take gzip. */
export const GZIP_BYTES_MIN = 128 * 1024 + 1;
export const GZIP_LEVEL = 1;
const GZIP_PIECE_BYTES = 64 * 1024;

/** What is made of a long list and not taken yet: pieces on the way, and the next step. */
const LIST_BYTES = STEPS.listPieceBytes + GZIP_BYTES_MIN;
/** The same of one that is compressed, with the compressor. */
const GZIP_LIST_BYTES = 4 * STEPS.listPieceBytes;

type Answer = {
  readonly code: number;
  readonly headers: Headers;
  readonly takesGzip: boolean;
  readonly account: AnswerAccount;
  /** What the list itself keeps in memory until it is sent. */
  readonly keptBytes: number;
};

type Parts = {readonly scheduler: Pick<Scheduler, 'turn'>; readonly listMemory: ListMemory};

/**
 * Resolves when all is written, or the client is gone. Rejects with what goes wrong before the first byte, or after it; StatusError
 * 429 when too much waits for clients.
 */
export const sendList = async (
  response: HttpResponse,
  {code, headers, takesGzip, account, keptBytes}: Answer,
  list: ListBody,
  {scheduler, listMemory}: Parts,
): Promise<void> => {
  const heldBytes = keptBytes + (takesGzip ? GZIP_LIST_BYTES : LIST_BYTES);
  if (!list.isShort) account.take(heldBytes);
  const pieces = paced(response, list, scheduler, account);
  const begin: Buffer[] = [];
  let bytes = 0;
  while (bytes < GZIP_BYTES_MIN) {
    const {value, done} = await pieces.next();
    if (done === true)
      return isGone(response) ? undefined : sendShort(response, {code, headers, account}, begin, listMemory);
    begin.push(value);
    bytes += value.length;
  }
  if (list.isShort) account.take(heldBytes);
  if (takesGzip) Object.assign(headers, gzipHeaders(headers));
  (response as ServerResponse).writeHead(code, headers as never);
  const all = followed(begin, pieces);
  await writePieces(response, takesGzip ? compressed(all) : all, piece => {
    account.progressed();
    account.sentBytes += piece.length;
    if (!takesGzip) listMemory.releasePiece(piece);
  });
};

const sendShort = (
  response: HttpResponse,
  {code, headers, account}: Pick<Answer, 'code' | 'headers' | 'account'>,
  pieces: readonly Buffer[],
  listMemory: ListMemory,
): void => {
  const [only, ...others] = pieces;
  const body = only !== undefined && others.length === 0 ? only : Buffer.concat(pieces);
  account.demandRoom(body.length);
  account.sentBytes += body.length;
  send(response, code, headers, body, () => listMemory.releasePiece(body));
  account.holdUnsent(body.length);
};

export const gzipHeaders = (headers: Headers): Headers => ({
  'Content-Encoding': 'gzip',
  Vary: [...new Set([headers['Vary'] ?? [], 'Accept-Encoding'].flat() as string[])],
});

/** Piece by piece, each in its turn, for as long as the client is there; what is made at once is not waited for. */
async function* paced(
  response: HttpResponse,
  list: ListBody,
  scheduler: Parts['scheduler'],
  account: AnswerAccount,
): AsyncGenerator<Buffer, void> {
  for (const piece of list.pieces()) {
    if (piece.length > STEPS.listPieceBytes) account.take(LIST_BYTES + piece.length); // one large object
    if (piece.length > 0) yield piece;
    if (list.isShort) continue;
    await scheduler.turn();
    if (isGone(response)) return;
  }
}

/** Who gives up before the rest has begun ends it all the same: what it keeps is given back. */
async function* followed(begin: readonly Buffer[], rest: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer> {
  try {
    yield* begin;
    yield* rest;
  } finally {
    await rest.return();
  }
}

async function* compressed(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gzip = createGzip({level: GZIP_LEVEL, chunkSize: GZIP_PIECE_BYTES});
  const fed = pipeline(pieces, gzip);
  fed.catch(() => {}); // comes out of `gzip` as well
  yield* gzip as AsyncIterable<Buffer>;
  await fed;
}
