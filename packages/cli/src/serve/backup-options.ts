// SPDX-License-Identifier: Apache-2.0
import type {OptionTable} from '../command-line/options.ts';

/** Flags of `palisade serve` about scheduled backups. */
export const backupOptions = {
  'backup-dir': {
    type: 'string',
    value: 'DIR',
    completes: 'folder',
    doc: 'write scheduled backups here; they contain every secret',
  },
  'backup-every': {type: 'string', value: 'AGE', doc: 'make a backup this often (default 1h)'},
  'backup-keep': {type: 'string', value: 'N', inFile: 'number', doc: 'keep the N newest backups (default 24)'},
  'backup-records': {type: 'boolean', doc: 'also back up threat and traffic records'},
} as const satisfies OptionTable;
