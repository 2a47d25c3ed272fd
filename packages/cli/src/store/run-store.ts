// SPDX-License-Identifier: Apache-2.0
/** Runs `palisade store …`. */
import {resolve} from 'node:path';
import {defaultDataDir} from '@palisade/server/data-folder';
import {checkFolder, type OnProgress, type Repaired, repairFolder, shrinkFolder} from '@palisade/server/offline';
import {type CliIo, CommandError, EXIT, isTerminal} from '../command-line/io.ts';
import {parseOptions} from '../command-line/options.ts';
import {realClock} from '../command-line/real-clock.ts';
import {checkFlags, repairFlags, shrinkFlags} from './store-flags.ts';
import {checkedText, lossLines, repairedText, shrunkText} from './store-text.ts';

const dirOf = (data: string | undefined, {env, cwd}: CliIo): string =>
  data === undefined ? defaultDataDir(env) : resolve(cwd, data);

const SHOWN_EVERY_MS = {terminal: 200, log: 10_000} as const;

/** A line on stderr that is rewritten on a terminal, and now and then a line elsewhere. */
const progressOn = ({stderr}: CliIo): {readonly show: OnProgress; readonly end: () => void} => {
  const onTerminal = isTerminal(stderr);
  let shownMs = realClock.now();
  let isShown = false;
  return {
    show: (step, done, of) => {
      const nowMs = realClock.now();
      if (nowMs - shownMs < (onTerminal ? SHOWN_EVERY_MS.terminal : SHOWN_EVERY_MS.log)) return;
      [shownMs, isShown] = [nowMs, true];
      const text = `palisade: ${step}: ${done}${of === undefined ? '' : ` of ${of}`}`;
      stderr.write(onTerminal ? `\r${text}\u001b[K` : `${text}\n`);
    },
    end: () => void (isShown && onTerminal && stderr.write('\r\u001b[K')),
  };
};

const withProgress = async <T>(io: CliIo, work: (onProgress: OnProgress) => Promise<T>): Promise<T> => {
  const progress = progressOn(io);
  try {
    return await work(progress.show);
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
