// SPDX-License-Identifier: Apache-2.0
/** `palisade verify`. */
import {resolve} from 'node:path';
import {whyUnreadable} from '@palisade/engine/file-faults';
import {ArchiveError, readArchive} from '@palisade/server/backup';
import {type CliIo, CommandError, EXIT} from '../command-line/io.ts';
import {parseOptions} from '../command-line/options.ts';
import {Progress} from '../command-line/progress.ts';
import {bytesText} from '../text/figures.ts';
import {verifyFlags} from './backup-flags.ts';
import {fileWord, summaryJson, summaryText} from './backup-text.ts';

/** A CommandError for a file that cannot be read; other errors as they are. */
export const unreadable = (file: string, error: unknown): unknown => {
  const {syscall, path} = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  return new CommandError(`${path ?? file}: ${whyUnreadable(error)}`, {cause: error});
};

export const runVerify = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {options: flags, positionals} = parseOptions(words, verifyFlags, {max: 1, what: 'one file at a time'});
  const file = resolve(io.cwd, fileWord(positionals, 'verify'));
  const progress = new Progress(io, bytesText);
  try {
    const summary = await readArchive(file, {
      checksValues: true,
      progress: (bytes, of) => progress.show('verify', bytes, of),
    });
    progress.end();
    io.stdout.write(
      flags.json
        ? `${JSON.stringify({file, valid: true, ...summaryJson(summary)})}\n`
        : `${file}: intact\n${summaryText(summary)}`,
    );
    return EXIT.ok;
  } catch (error) {
    progress.end();
    if (!(error instanceof ArchiveError)) throw unreadable(file, error);
    if (!flags.json) throw new CommandError(`${file}: ${error.message}`, {cause: error});
    io.stdout.write(`${JSON.stringify({file, valid: false, member: error.member ?? null, fault: error.message})}\n`);
    return EXIT.failed;
  }
};
