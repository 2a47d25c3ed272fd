// SPDX-License-Identifier: Apache-2.0
/** Runs `palisade store …`. */
import {resolve} from 'node:path';
import {defaultDataDir} from '@palisade/server/data-folder';
import {checkFolder, type OnProgress, type Repaired, repairFolder, shrinkFolder} from '@palisade/server/offline';
import {type CliIo, CommandError, EXIT, FolderError} from '../command-line/io.ts';
import {parseOptions} from '../command-line/options.ts';
import {Progress} from '../command-line/progress.ts';
import {bytesText} from '../text/figures.ts';
import {checkFlags, repairFlags, shrinkFlags} from './store-flags.ts';
import {checkedText, lossLines, repairedText, shrunkText} from './store-text.ts';

const dirOf = (data: string | undefined, {env, cwd}: CliIo): string =>
  data === undefined ? defaultDataDir(env) : resolve(cwd, data);

type Shown = {readonly dir: string; readonly json: boolean; readonly text?: (amount: number) => string};

/** Prints what `work` resolves to, which is the JSON, or else the text, and the exit code. */
type Done = {readonly json: object; readonly text: string; readonly code?: number};

/** A folder that could not be judged or worked on has an exit code of its own, and with --json JSON too. */
const onFolder = async (
  io: CliIo,
  {dir, json, text = String}: Shown,
  work: (onProgress: OnProgress) => Promise<Done>,
): Promise<number> => {
  const progress = new Progress(io, {json, text});
  try {
    const done = await work((step, amount, of) => progress.show(step, amount, of));
    progress.end();
    io.stdout.write(json ? `${JSON.stringify(done.json)}\n` : done.text);
    return done.code ?? EXIT.ok;
  } catch (error) {
    progress.end();
    if (!(error instanceof FolderError)) throw error;
    const {code, message} = error;
    const exitCode = code === 'damaged' ? EXIT.failed : EXIT.notDone;
    if (!json) throw new CommandError(message, {cause: error, exitCode});
    io.stdout.write(`${JSON.stringify({data: dir, error: {code, message}})}\n`);
    return exitCode;
  }
};

export const runCheck = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {data, json} = parseOptions(words, checkFlags).options;
  const dir = dirOf(data, io);
  return onFolder(io, {dir, json}, async onProgress => {
    const checked = await checkFolder(dir, onProgress);
    const whole = checked.faults.length === 0;
    return {
      json: {data: dir, whole, ...checked},
      text: checkedText(dir, checked),
      code: whole ? EXIT.ok : EXIT.failed,
    };
  });
};

export const runShrink = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {data, json} = parseOptions(words, shrinkFlags).options;
  const dir = dirOf(data, io);
  return onFolder(io, {dir, json, text: bytesText}, async onProgress => {
    const shrunk = await shrinkFolder(dir, onProgress);
    return {json: {data: dir, ...shrunk}, text: shrunkText(dir, shrunk)};
  });
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
  return onFolder(io, {dir, json}, async onProgress => {
    const repaired = await repairFolder(dir, accepts, onProgress);
    const isDamaged = repaired.state === 'damaged';
    if (isDamaged && !json)
      throw new CommandError(
        [...lossLines(repaired), 'restore the folder from a backup, or accept the loss with --accept-loss'].join('\n'),
      );
    return {json: asJson(repaired), text: repairedText(repaired), code: isDamaged ? EXIT.failed : EXIT.ok};
  });
};
