// SPDX-License-Identifier: Apache-2.0
import type {AnswerAccount} from '@palisade/apiserver';
import type {AnyRequest} from './listeners.ts';

/** Bounds of bodies: in total, of one address, and without progress. */
export type BodyBound = Pick<AnswerAccount, 'fault' | 'holdBody' | 'releaseBody'>;
/** 429: the bound has no room. */
export type TooMuch = {readonly code: 413 | 429; readonly message: string};

/** The text of a body. The rest of one that is refused is dropped as it comes. Rejects when the client goes away. */
export const readText = (
  request: AnyRequest,
  bytesMax: number,
  bound?: BodyBound | undefined,
): Promise<string | TooMuch> =>
  new Promise<string | TooMuch>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let refused = false;
    const refuse = (refusal: TooMuch): void => {
      refused = true;
      chunks.length = 0;
      resolve(refusal);
    };
    bound?.holdBody(0);
    request.on('data', (chunk: Buffer) => {
      if (refused) return;
      bytes += chunk.length;
      const full = bound?.fault(chunk.length);
      if (bytes > bytesMax) return refuse({code: 413, message: `the body is longer than ${bytesMax} bytes`});
      if (full !== undefined) return refuse({code: 429, message: full});
      bound?.holdBody(bytes);
      chunks.push(chunk);
    });
    request.on('end', () => resolve(Buffer.concat(chunks).toString()));
    request.on('error', reject);
    request.on('aborted', () => reject(new Error('the client went away')));
  }).finally(() => bound?.releaseBody());
