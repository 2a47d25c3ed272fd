// SPDX-License-Identifier: Apache-2.0
/** `palisade restore`. */
import {basename, resolve} from 'node:path';
import {ArchiveError, type Restored, restoreBackup} from '@palisade/server/backup';
import {defaultDataDir} from '@palisade/server/data-folder';
import {systemClock} from '@palisade/server/system';
import {type CliIo, CommandError, EXIT, UsageError} from '../command-line/io.ts';
import {parseOptions} from '../command-line/options.ts';
import {Progress} from '../command-line/progress.ts';
import {bytesText} from '../text/figures.ts';
import {restoreFlags} from './backup-flags.ts';
import {fileWord, summaryJson} from './backup-text.ts';
import {unreadable} from './run-verify.ts';

export const runRestore = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {options: flags, positionals} = parseOptions(words, restoreFlags, {max: 1, what: 'one file at a time'});
  const name = fileWord(positionals, 'restore');
  if (name === '-')
    throw new UsageError(
      'restore does not read stdin: all of a backup is verified before anything changes; write it to a file, and name that',
    );
  const file = resolve(io.cwd, name);
  const dir = flags.data === undefined ? defaultDataDir(io.env) : resolve(io.cwd, flags.data);
  const progress = new Progress(io, {json: flags.json, text: bytesText});
  let restored: Restored;
  try {
    restored = await restoreBackup({
      ...{file, dir, replaces: flags.replace, nowMs: systemClock.now()},
      progress: (step, bytes, of) => progress.show(step, bytes, of),
    });
  } catch (error) {
    if (error instanceof ArchiveError)
      throw new CommandError(`${file}: ${error.message}; nothing was changed, use another backup`, {cause: error});
    throw unreadable(file, error);
  } finally {
    progress.end();
  }
  const {aside, revision, manifest, recordFaults} = restored;
  const json = {
    ...summaryJson(restored),
    data: dir,
    backupRevision: manifest.revision,
    revision,
    aside: aside ?? null,
    recordFaults,
  };
  io.stdout.write(flags.json ? `${JSON.stringify(json)}\n` : textOf(restored, flags.data ?? dir));
  return EXIT.ok;
};

const recordsText = ({manifest, recordFaults}: Restored): readonly string[] => {
  if (!manifest.records) return ['records: not in the backup; existing records were left as they are'];
  if (recordFaults.length === 0) return ['records: restored'];
  return [
    'records: restored; some were damaged when they were backed up, and the server sets such files aside:',
    ...recordFaults.map(fault => `  ${fault}`),
  ];
};

/** `named`: the folder as it was given. */
const textOf = (restored: Restored, named: string): string => {
  const {aside, manifest, revision} = restored;
  return [
    `restored ${named}: ${manifest.objects} objects of ${manifest.createdAt}`,
    `next revisions follow ${revision}; clients that watch list again`,
    ...recordsText(restored),
    ...(aside === undefined ? [] : [`previous data: ${named.replace(/\/+$/, '')}/${basename(aside)}`]),
    '',
  ].join('\n');
};
