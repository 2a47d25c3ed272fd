// SPDX-License-Identifier: Apache-2.0
import type {OptionTable} from '../command-line/options.ts';
import {connectionOptions} from '../connection/connection.ts';

/** Flags of `palisade backup`, `restore` and `verify`. */
export const backupFlags = {
  records: {type: 'boolean', doc: 'also back up threat and traffic records'},
  force: {type: 'boolean', doc: 'replace FILE if it exists'},
  data: {
    type: 'string',
    value: 'DIR',
    completes: 'folder',
    doc: 'back up this data folder (default ~/.local/state/palisade)',
  },
  ...connectionOptions,
} as const satisfies OptionTable;

export const restoreFlags = {
  data: {
    type: 'string',
    value: 'DIR',
    completes: 'folder',
    doc: 'restore into this data folder (default ~/.local/state/palisade)',
  },
  replace: {type: 'boolean', doc: 'put data of the folder aside; nothing is deleted'},
  json: connectionOptions.json,
} as const satisfies OptionTable;

export const verifyFlags = {json: connectionOptions.json} as const satisfies OptionTable;
