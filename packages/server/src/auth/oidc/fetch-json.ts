// SPDX-License-Identifier: Apache-2.0
/** JSON documents over HTTPS, bounded in size and time. Redirects are not followed: a document counts only where it was asked for. */
import type {IncomingMessage} from 'node:http';
import {request} from 'node:https';
import type {Timers} from '@palisade/apiserver';

/** Rejects with the reason in words. */
export type FetchJson = (url: string, signal: AbortSignal) => Promise<unknown>;

const DOCUMENT_BYTES_MAX = 1024 * 1024;
const ANSWER_MS_MAX = 10_000;

const readBody = async (response: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > DOCUMENT_BYTES_MAX) throw new Error(`more than ${DOCUMENT_BYTES_MAX} bytes came`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('the answer is not JSON'); // the error of JSON.parse quotes the text
  }
};

const answerOf = (url: string, ca: string | undefined, signal: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = {accept: 'application/json', 'user-agent': 'palisade'};
    request(url, {agent: false, headers, signal, ...(ca === undefined ? {} : {ca})})
      .once('response', resolve)
      .once('error', reject)
      .end();
  });

/** `ca`: PEM certificates to trust; undefined: those that Node brings. */
export const httpsJson =
  (ca: string | undefined, timers: Pick<Timers, 'after'>): FetchJson =>
  async (url, signal) => {
    const late = new AbortController();
    const timer = timers.after(ANSWER_MS_MAX, () => late.abort());
    try {
      const response = await answerOf(url, ca, AbortSignal.any([signal, late.signal]));
      if (response.statusCode !== 200) {
        response.destroy();
        throw new Error(`the server answered ${response.statusCode}`);
      }
      return parsed(await readBody(response));
    } catch (error) {
      const why = late.signal.aborted ? `no answer within ${ANSWER_MS_MAX / 1000} s` : (error as Error).message;
      throw new Error(`${url}: ${why}`, {cause: error});
    } finally {
      timer.cancel();
    }
  };
