// SPDX-License-Identifier: Apache-2.0
/** `palisade verify`. */
import {resolve} from 'node:path';
import {whyUnreadable} from '@palisade/engine/file-faults';
import {ArchiveError, readArchive, readArchiveStream} from '@palisade/server/backup';
import {type CliIo, CommandError, EXIT, isTerminal, UsageError} from '../command-line/io.ts';
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

/** A verdict on the file or on stdin. A file that cannot be read has an exit code of its own, and with --json JSON too. */
export const runVerify = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {options: flags, positionals} = parseOptions(words, verifyFlags, {max: 1, what: 'one file at a time'});
  const name = fileWord(positionals, 'verify');
  const isStdin = name === '-';
  if (isStdin && isTerminal(io.stdin))
    throw new UsageError('a backup is not text: redirect a file to stdin, or name the file');
  const file = isStdin ? 'stdin' : resolve(io.cwd, name);
  const progress = new Progress(io, {json: flags.json, text: bytesText});
  const visitor = {
    checksValues: true,
    progress: (bytes: number, of?: number) => progress.show('verify', bytes, of),
  };
  try {
    const summary = await (isStdin
      ? readArchiveStream(io.stdin as AsyncIterable<Buffer>, visitor)
      : readArchive(file, visitor));
    progress.end();
    io.stdout.write(
      flags.json
        ? `${JSON.stringify({file, valid: true, ...summaryJson(summary)})}\n`
        : `${isStdin ? file : name}: intact\n${summaryText(summary)}`,
    );
    return EXIT.ok;
  } catch (error) {
    progress.end();
    return failed(file, error, flags.json, io);
  }
};

const failed = (file: string, error: unknown, json: boolean, {stdout}: CliIo): number => {
  if (error instanceof ArchiveError) {
    if (!json) throw new CommandError(`${file}: ${error.message}`, {cause: error});
    stdout.write(`${JSON.stringify({file, valid: false, member: error.member ?? null, fault: error.message})}\n`);
    return EXIT.failed;
  }
  const why = unreadable(file, error);
  if (!(why instanceof CommandError)) throw why;
  const {message} = why;
  if (!json) throw new CommandError(message, {cause: error, exitCode: EXIT.notDone});
  const code = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'absent' : 'unreadable';
  stdout.write(`${JSON.stringify({file, error: {code, message}})}\n`);
  return EXIT.notDone;
};
