// SPDX-License-Identifier: Apache-2.0
/** `palisade store …`: names, flags, help. What runs them is loaded when it is asked for. */
import {type Command, folderCommand} from '../command-line/command.ts';
import {checkFlags, repairFlags, shrinkFlags} from './store-flags.ts';

const STOPPED = 'The server must be stopped.';
const NOT_DONE = '3 in use, absent or unreadable';
const JSON_NOTE =
  'With --json every result and failure is one line of JSON; a failure is {"data": DIR, "error": {"code", "message"}}.';

export const storeCommands: readonly Command[] = [
  folderCommand({
    name: 'store',
    group: 'server',
    summary: 'check, shrink and repair the data folder of a stopped server',
    examples: ['palisade store check --data ./data'],
  }),
  {
    name: 'store check',
    group: 'server',
    summary: 'check all objects and records for damage',
    usage: '[--data DIR] [--json]',
    notes: [`${STOPPED} Nothing is changed. Each fault is printed with its place and the way out.`, JSON_NOTE],
    exitCodes: `0 whole, 1 damaged, 2 usage, ${NOT_DONE}`,
    options: checkFlags,
    examples: ['palisade store check --data ./data', 'palisade store check --data ./data --json'],
    run: async (words, io) => (await import('./run-store.ts')).runCheck(words, io),
  },
  {
    name: 'store shrink',
    group: 'server',
    summary: 'give the free space of the store file back to the disk',
    usage: '[--data DIR] [--json]',
    notes: [
      `${STOPPED} A running server shrinks its file too, but keeps room for new changes.`,
      'The disk needs room for a second file. A kill or a full disk leaves the old file or the new one.',
    ],
    exitCodes: `0 done, 1 damaged, 2 usage, ${NOT_DONE}`,
    options: shrinkFlags,
    examples: ['palisade store shrink --data ./data'],
    run: async (words, io) => (await import('./run-store.ts')).runShrink(words, io),
  },
  {
    name: 'store repair',
    group: 'server',
    summary: 'list the losses of a damaged store, and keep the rest',
    usage: '[--data DIR] [--accept-loss] [--json]',
    notes: [
      `${STOPPED} Without --accept-loss nothing is changed. Restoring a backup loses less:`,
      'see docs/guides/operate-the-server.md.',
    ],
    exitCodes: `0 whole or repaired, 1 damaged, 2 usage, ${NOT_DONE}`,
    options: repairFlags,
    examples: ['palisade store repair --data ./data', 'palisade store repair --data ./data --accept-loss'],
    run: async (words, io) => (await import('./run-store.ts')).runRepair(words, io),
  },
];
