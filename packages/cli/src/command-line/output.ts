// SPDX-License-Identifier: Apache-2.0
/**
 * What becomes of a command whose output cannot be written. A reader that has enough (`| head`, a pager that was left) ends it
 * quietly with exit code 0; any other failure, such as a full disk, with one line on stderr and 1. A command that does more than
 * print runs to its end, without its output. Notes that stderr does not take are lost.
 */
import {type CliIo, EXIT} from './io.ts';

export type Output = {
  /** From now on a failure of stdout does not end the process. */
  readonly goOn: () => void;
  /** The exit code of a command that came to its end with `code`: a failed output counts, unless it has failed anyway. */
  readonly exitCode: (code: number) => number;
};

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be larger than is allowed',
  EIO: 'an input/output error',
};

const reasonOf = ({code = '', message}: NodeJS.ErrnoException): string => {
  const reason = REASONS[code];
  return reason === undefined ? message : `${reason} (${code})`;
};

/** Listens to both streams for the life of the process. `end` ends it at once with a code. */
export const watchOutput = (
  {stdout, stderr}: Pick<CliIo, 'stdout' | 'stderr'>,
  end: (code: number) => void,
): Output => {
  let goesOn = false;
  let lostWith: number | undefined;
  stderr.on('error', () => {}); // there is no other place to report it
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (lostWith !== undefined) return; // each further write fails too
    lostWith = error.code === 'EPIPE' ? EXIT.ok : EXIT.failed;
    if (lostWith !== EXIT.ok) stderr.write(`palisade: the output cannot be written: ${reasonOf(error)}\n`);
    if (!goesOn) end(lostWith);
  });
  return {
    goOn: () => {
      goesOn = true;
    },
    exitCode: code => (code === EXIT.ok ? (lostWith ?? code) : code),
  };
};
