// SPDX-License-Identifier: Apache-2.0
/** A command of `palisade` in this process, which is cheaper than one of its own. */
import {PassThrough, Readable} from 'node:stream';
import {main} from '@palisade/cli';
import type {Finished} from './palisade.ts';

export const palisade = async (
  words: readonly string[],
  stdin: Readable = Readable.from([]),
): Promise<Finished & {readonly code: number}> => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await main(words, {stdin, stdout, stderr, env: {}, cwd: '/'}, () => {});
  return {code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '')};
};
