// SPDX-License-Identifier: Apache-2.0
/** Answers that are written bit by bit, as fast as the reader takes them. */
import type {ServerResponse} from 'node:http';
import {drained, isGone} from '@palisade/apiserver';
import {answersWait} from '../rpc-error.ts';
import {type AnyResponse, accountOf, trailOf} from './exchange.ts';

/** Text is gathered to about this much before it is written. */
const CHUNK_CHARACTERS = 16_384;
/** What such an answer has on the way, roughly. */
const STREAM_BYTES = 4 * CHUNK_CHARACTERS;

/** Throws RESOURCE_EXHAUSTED when too much waits for clients. */
export const openStream = (response: AnyResponse, type: string): void => {
  const account = accountOf(response);
  const fault = account?.fault(STREAM_BYTES);
  if (fault !== undefined) throw answersWait(fault);
  account?.hold(STREAM_BYTES);
  // The two kinds of response have the same method, but their types do not add up.
  (response as ServerResponse).writeHead(200, {
    'content-type': type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  trailOf(response)?.started();
};

/** Resolves when the reader can take more; false: it has gone. */
export const writeChunk = async (response: AnyResponse, text: string): Promise<boolean> => {
  if (isGone(response)) return false;
  if ((response as ServerResponse).write(text, () => accountOf(response)?.progressed())) return true;
  if (isGone(response)) return false;
  await drained(response);
  return !isGone(response);
};

/** Writes all lines and ends the answer. An error before the first line travels on; a later one cuts the answer off, visibly. */
export const writeAll = async (response: AnyResponse, type: string, lines: AsyncIterable<string>): Promise<void> => {
  let text = '';
  let opened = false;
  const flush = async (): Promise<boolean> => {
    if (!opened) openStream(response, type);
    opened = true;
    const chunk = text;
    text = '';
    return chunk === '' || writeChunk(response, chunk);
  };
  try {
    for await (const line of lines) {
      text += line;
      if (text.length >= CHUNK_CHARACTERS && !(await flush())) return;
    }
    if (await flush()) response.end();
  } catch (error) {
    if (!opened) throw error;
    response.destroy(error instanceof Error ? error : new Error(String(error)));
  }
};
