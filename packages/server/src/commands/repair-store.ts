// SPDX-License-Identifier: Apache-2.0
/** `palisade repair-store`: says what a damaged write-ahead log has lost, and accepts the loss on the word of an operator. */
import {resolve} from 'node:path';
import {isStoreError} from '@palisade/store';
import {acceptLoss, inspectLog} from '@palisade/store/sqlite';
import type {Command} from '../cli/command.ts';
import {type CliIo, CommandError, EXIT} from '../cli/io.ts';
import {type OptionTable, parseOptions} from '../cli/options.ts';
import {defaultDataDir} from '../run/config.ts';
import {storeFileOf} from '../run/data-folder.ts';
import {serveOptions} from './serve-options.ts';

const options = {
  data: serveOptions.data,
  'accept-loss': {
    type: 'boolean',
    doc: 'Keep what is whole and give up the rest; the damaged log is copied beside it first.',
  },
} as const satisfies OptionTable;

const repair = (dir: string, accepts: boolean, io: CliIo): number => {
  const file = storeFileOf(dir);
  const loss = inspectLog(file);
  if (loss.state === 'no-store') throw new CommandError(`no store in ${dir}; check --data`);
  if (loss.state === 'whole') {
    io.stdout.write(`${file}: its write-ahead log has lost nothing\n`);
    return EXIT.ok;
  }
  if (loss.state === 'torn') {
    const commits = `${loss.commits} ${loss.commits === 1 ? 'commit' : 'commits'}`;
    io.stdout.write(`${file}-wal: the last transaction (${commits}) is damaged or torn; the next start cuts it off\n`);
    return EXIT.ok;
  }
  const where = loss.offset === 0 ? 'its header' : `byte ${loss.offset}`;
  if (!accepts)
    throw new CommandError(
      `${file}-wal: damaged at ${where}: ${loss.what} cannot be read; restore the folder from a backup, or give them up with --accept-loss`,
    );
  const done = acceptLoss(file);
  io.stdout.write(`gave up ${loss.what}\n`);
  if (done !== undefined)
    io.stdout.write(`kept the damaged log as ${done.copy}\nnext revision: ${done.revision + 1}\n`);
  return EXIT.ok;
};

export const repairStore: Command = {
  name: 'repair-store',
  summary: 'say what a damaged write-ahead log of the store has lost, and start without it',
  notes: [
    'For a stopped server that refuses to start because its write-ahead log is damaged. A backup of the folder loses less: see docs/guides/operate-the-server.md.',
  ],
  usage: 'palisade repair-store [--data DIR] [--accept-loss]',
  options,
  examples: ['palisade repair-store --data ./data', 'palisade repair-store --data ./data --accept-loss'],
  run: async (words, io) => {
    const parsed = parseOptions(words, options).options;
    const dir = parsed.data === undefined ? defaultDataDir(io.env) : resolve(io.cwd, parsed.data);
    try {
      return repair(dir, parsed['accept-loss'], io);
    } catch (error) {
      throw isStoreError(error) ? new CommandError(error.message, {cause: error}) : error;
    }
  },
};
