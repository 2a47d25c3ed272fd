// SPDX-License-Identifier: Apache-2.0
/** Runs `palisade store …`. */
import {resolve} from 'node:path';
import {defaultDataDir} from '@palisade/server/data-folder';
import {checkFolder, type OnProgress, type Repaired, repairFolder, shrinkFolder} from '@palisade/server/offline';
import {type CliIo, CommandError, EXIT} from '../command-line/io.ts';
import {parseOptions} from '../command-line/options.ts';
import {Progress} from '../command-line/progress.ts';
import {checkFlags, repairFlags, shrinkFlags} from './store-flags.ts';
import {checkedText, lossLines, repairedText, shrunkText} from './store-text.ts';

const dirOf = (data: string | undefined, {env, cwd}: CliIo): string =>
  data === undefined ? defaultDataDir(env) : resolve(cwd, data);

const withProgress = async <T>(io: CliIo, work: (onProgress: OnProgress) => Promise<T>): Promise<T> => {
  const progress = new Progress(io);
  try {
    return await work((step, done, of) => progress.show(step, done, of));
  } finally {
    progress.end();
  }
};

export const runCheck = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {data, json} = parseOptions(words, checkFlags).options;
  const dir = dirOf(data, io);
  const checked = await withProgress(io, onProgress => checkFolder(dir, onProgress));
  const isWhole = checked.faults.length === 0;
  io.stdout.write(json ? `${JSON.stringify({data: dir, whole: isWhole, ...checked})}\n` : checkedText(dir, checked));
  return isWhole ? EXIT.ok : EXIT.failed;
};

export const runShrink = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {data, json} = parseOptions(words, shrinkFlags).options;
  const dir = dirOf(data, io);
  const shrunk = await shrinkFolder(dir);
  io.stdout.write(json ? `${JSON.stringify({data: dir, ...shrunk})}\n` : shrunkText(dir, shrunk));
  return EXIT.ok;
};

const asJson = ({state, file, commits, log, content}: Repaired) => ({
  state: state === 'repaired' ? 'accepted' : state,
  file,
  ...(commits === undefined ? {} : {commits}),
  ...(log && {
    lost: log.lost,
    offset: log.offset,
    ...(log.copy && {copy: log.copy, nextRevision: (log.revision ?? 0) + 1}),
  }),
  ...(content && {
    ...{keptKeys: content.keys, lostKeys: content.lostKeys, lostRevisions: content.lostRevisions},
    ...('copy' in content && {damagedFile: content.copy, nextRevision: content.revision + 1}),
  }),
});

export const runRepair = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {data, json, 'accept-loss': accepts} = parseOptions(words, repairFlags).options;
  const dir = dirOf(data, io);
  const repaired = await withProgress(io, onProgress => repairFolder(dir, accepts, onProgress));
  if (repaired.state === 'damaged' && !json)
    throw new CommandError(
      [...lossLines(repaired), 'restore the folder from a backup, or accept the loss with --accept-loss'].join('\n'),
    );
  io.stdout.write(json ? `${JSON.stringify(asJson(repaired))}\n` : repairedText(repaired));
  return repaired.state === 'damaged' ? EXIT.failed : EXIT.ok;
};
