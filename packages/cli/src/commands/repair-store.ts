// SPDX-License-Identifier: Apache-2.0
/** `palisade repair-store`: shows what a damaged write-ahead log lost, and accepts the loss where the operator says so. */
import {resolve} from 'node:path';
import {defaultDataDir, storeFileOf} from '@palisade/server/data-folder';
import {isStoreError} from '@palisade/store';
import {acceptLoss, inspectLog} from '@palisade/store/sqlite';
import type {Command} from '../command-line/command.ts';
import {CommandError, EXIT} from '../command-line/io.ts';
import {type OptionTable, parseOptions} from '../command-line/options.ts';
import {serveOptions} from '../serve/serve-options.ts';

const options = {
  data: serveOptions.data,
  'accept-loss': {
    type: 'boolean',
    doc: 'keep what is intact; a copy of the damaged log is kept',
  },
  json: {type: 'boolean', doc: 'print JSON'},
} as const satisfies OptionTable;

type Found = {readonly state: 'whole' | 'torn' | 'accepted'; readonly text: string; readonly [more: string]: unknown};

const repair = (dir: string, accepts: boolean): Found => {
  const file = storeFileOf(dir);
  const loss = inspectLog(file);
  if (loss.state === 'no-store') throw new CommandError(`no store in ${dir}; check --data`);
  if (loss.state === 'whole') return {state: 'whole', file, text: `${file}: its write-ahead log is intact\n`};
  if (loss.state === 'torn') {
    const commits = `${loss.commits} ${loss.commits === 1 ? 'commit' : 'commits'}`;
    const text = `${file}-wal: the last transaction (${commits}) is damaged or torn; the next start removes it\n`;
    return {state: 'torn', file, commits: loss.commits, text};
  }
  const where = loss.offset === 0 ? 'its header' : `byte ${loss.offset}`;
  if (!accepts)
    throw new CommandError(
      `${file}-wal: damaged at ${where}: ${loss.what} cannot be read; restore the folder from a backup, or accept the loss with --accept-loss`,
    );
  const done = acceptLoss(file);
  const kept = done === undefined ? '' : `kept the damaged log as ${done.copy}\nnext revision: ${done.revision + 1}\n`;
  const more = done === undefined ? {} : {copy: done.copy, nextRevision: done.revision + 1};
  return {state: 'accepted', file, lost: loss.what, ...more, text: `discarded ${loss.what}\n${kept}`};
};

export const repairStore: Command = {
  name: 'repair-store',
  group: 'server',
  summary: 'show what a damaged write-ahead log lost, and accept the loss',
  notes: [
    'For a server that refuses to start because its write-ahead log is damaged. Restoring a backup of the folder loses less:',
    'see docs/guides/operate-the-server.md.',
  ],
  usage: '[--data DIR] [--accept-loss] [--json]',
  options,
  examples: ['palisade repair-store --data ./data', 'palisade repair-store --data ./data --accept-loss'],
  run: async (words, io) => {
    const parsed = parseOptions(words, options).options;
    const dir = parsed.data === undefined ? defaultDataDir(io.env) : resolve(io.cwd, parsed.data);
    try {
      const {text, ...data} = repair(dir, parsed['accept-loss']);
      io.stdout.write(parsed.json ? `${JSON.stringify(data)}\n` : text);
      return EXIT.ok;
    } catch (error) {
      throw isStoreError(error) ? new CommandError(error.message, {cause: error}) : error;
    }
  },
};
