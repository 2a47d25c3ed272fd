// SPDX-License-Identifier: Apache-2.0
/** `palisade backup`: from a running server, or from a data folder that no server uses. */
import {existsSync} from 'node:fs';
import {resolve} from 'node:path';
import {whyUnwritable} from '@palisade/engine/file-faults';
import {ArchiveError, type ArchiveSummary, BACKUP_PATH, backUpFolder, writeBackupFile} from '@palisade/server/backup';
import {defaultDataDir, storeFileOf} from '@palisade/server/data-folder';
import {isLocked} from '@palisade/store/sqlite';
import {interruptsOfProcess} from '../command-line/interrupts.ts';
import {type CliIo, CommandError, EXIT, isTerminal, UsageError} from '../command-line/io.ts';
import {type Parsed, parseOptions} from '../command-line/options.ts';
import {Progress} from '../command-line/progress.ts';
import {namedServer} from '../connection/connection.ts';
import {withKubeClient} from '../connection/kube-connection.ts';
import {bytesText, counted} from '../text/figures.ts';
import {backupFlags} from './backup-flags.ts';
import {fileWord, summaryJson} from './backup-text.ts';

type Flags = Parsed<typeof backupFlags>;
type Use<T> = (chunks: AsyncIterable<Uint8Array>) => Promise<T>;

/** The longest silence of a server that collects what a backup has. */
const SILENCE_MS = 120_000;

/** The folder to back up, unless a server is named. */
const folderOf = (flags: Flags, {env, cwd}: CliIo): string | undefined => {
  if (flags.data !== undefined) return resolve(cwd, flags.data);
  const isServerNamed = namedServer(flags, env) !== undefined || (env['KUBECONFIG'] ?? '') !== '';
  return isServerNamed ? undefined : defaultDataDir(env);
};

/** From the server that is named or runs on the folder, else from the folder. */
const withArchive = async <T>(flags: Flags, io: CliIo, signal: AbortSignal, use: Use<T>): Promise<T> => {
  const dir = folderOf(flags, io);
  if (dir !== undefined && !isLocked(storeFileOf(dir))) return use(backUpFolder(dir, flags.records, signal));
  return withKubeClient({...flags, data: dir}, io, client =>
    use(
      client.postForBytes(BACKUP_PATH, {
        query: flags.records ? {records: 'true'} : undefined,
        silenceMs: SILENCE_MS,
        signal,
      }),
    ),
  );
};

/** The reason was printed with the failure of stdout. */
const INCOMPLETE = 'the backup on stdout is incomplete';

const toStdout = async (chunks: AsyncIterable<Uint8Array>, {stdout}: CliIo): Promise<undefined> => {
  for await (const chunk of chunks)
    await new Promise<void>((done, fail) => {
      stdout.write(chunk, error => (error == null ? done() : fail(new CommandError(INCOMPLETE, {cause: error}))));
    });
};

const toFile = async (
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  {force}: Flags,
  progress: Progress,
): Promise<ArchiveSummary> => {
  try {
    return await writeBackupFile(file, chunks, {
      replaces: force,
      progress: bytes => progress.show('backup', bytes),
    });
  } catch (error) {
    if (error instanceof ArchiveError)
      throw new CommandError(`${file}: not written: the received data is damaged: ${error.message}; try again`, {
        cause: error,
      });
    const {syscall, code} = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw code === 'EEXIST'
      ? exists(file)
      : new CommandError(`${file}: cannot be written: ${whyUnwritable(error)}`, {cause: error});
  }
};

const exists = (file: string): CommandError =>
  new CommandError(`${file}: the file exists; give --force to replace it, or choose another name`);

export const runBackup = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {options: flags, positionals} = parseOptions(words, backupFlags, {max: 1, what: 'one file at a time'});
  const name = fileWord(positionals, 'backup');
  if (flags.data !== undefined && flags.server !== undefined)
    throw new UsageError('--data and --server cannot be used together');
  const isStdout = name === '-';
  if (isStdout && (flags.json || isTerminal(io.stdout)))
    throw new UsageError('a backup is not text: redirect stdout to a file, without --json');
  const file = resolve(io.cwd, name);
  if (!isStdout && !flags.force && existsSync(file)) throw exists(file);
  const progress = new Progress(io, {json: flags.json, text: bytesText});
  const interrupted = new AbortController();
  const forget = interruptsOfProcess(() => interrupted.abort(new CommandError('interrupted; no backup was written')));
  try {
    const summary = await withArchive<ArchiveSummary | undefined>(flags, io, interrupted.signal, chunks =>
      isStdout ? toStdout(chunks, io) : toFile(file, chunks, flags, progress),
    );
    progress.end();
    if (summary !== undefined) print(summary, {name, file}, flags, io);
    return EXIT.ok;
  } catch (error) {
    progress.end();
    throw interrupted.signal.aborted ? interrupted.signal.reason : error;
  } finally {
    forget();
  }
};

/** People read the name as they gave it, programs the whole path. */
type Named = {readonly name: string; readonly file: string};

const print = (summary: ArchiveSummary, {name, file}: Named, {json}: Flags, {stdout}: CliIo): void => {
  const {manifest, bytes, recordFiles} = summary;
  const records = manifest.records ? `, ${counted(recordFiles, 'record file')}` : '';
  stdout.write(
    json
      ? `${JSON.stringify({file, ...summaryJson(summary)})}\n`
      : `wrote ${name}: ${counted(manifest.objects, 'object')} at revision ${manifest.revision}${records}, ${bytesText(bytes)}, verified\n` +
          'the file contains every secret of the server: store it as safely as the data folder\n',
  );
};
