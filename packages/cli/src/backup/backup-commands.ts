// SPDX-License-Identifier: Apache-2.0
/** `palisade backup`, `restore` and `verify`: names, flags, help. What runs them is loaded when it is asked for. */
import type {Command} from '../command-line/command.ts';
import {backupFlags, restoreFlags, verifyFlags} from './backup-flags.ts';

export const backupCommands: readonly Command[] = [
  {
    name: 'backup',
    group: 'server',
    words: ['file'],
    summary: 'back up a server to a file, while it runs or stopped',
    usage: 'FILE [--records] [--force] [--data DIR | --server URL] [--json]',
    notes: [
      'All objects of one moment, and the certificates and keys of the server. FILE is written as a whole, verified, or not at all.',
      'FILE contains every secret of the server: store it as safely as the data folder. A server gives it to cluster-admins only.',
      'Without --data and --server: the server of PALISADE_SERVER or KUBECONFIG, else the default data folder.',
      'A data folder is read directly when no server runs on it. FILE may be - for stdout.',
    ],
    options: backupFlags,
    environment: ['PALISADE_SERVER', 'KUBECONFIG', 'PALISADE_TOKEN'],
    examples: [
      'palisade backup palisade.tar.zst',
      'palisade backup palisade.tar.zst --records --data ./data',
      'palisade backup palisade.tar.zst --force --server https://127.0.0.1:6443 --json',
    ],
    outlivesReader: true,
    run: async (words, io) => (await import('./run-backup.ts')).runBackup(words, io),
  },
  {
    name: 'restore',
    group: 'server',
    words: ['file'],
    summary: 'restore a data folder from a backup',
    usage: 'FILE [--data DIR] [--replace] [--json]',
    notes: [
      'Stop the server of the folder first. FILE is verified before anything changes.',
      'Objects keep their uid and resourceVersion. Clients that watch, or list at a resourceVersion, get 410 once and list again.',
      'With --replace, replaced data is moved to before-restore-TIME in the folder. Records stay where FILE has none.',
    ],
    options: restoreFlags,
    examples: ['palisade restore palisade.tar.zst --data ./data', 'palisade restore palisade.tar.zst --replace --json'],
    outlivesReader: true,
    run: async (words, io) => (await import('./run-restore.ts')).runRestore(words, io),
  },
  {
    name: 'verify',
    group: 'server',
    words: ['file'],
    summary: 'check a backup completely, and show what it contains',
    usage: 'FILE [--json]',
    notes: [
      'A damaged file is reported with the place of the damage. FILE may be - for stdin.',
      'Record files are checked by their checksums. A restore opens them too, and reports what was damaged before the backup.',
    ],
    exitCodes: '0 intact, 1 damaged, 2 usage, 3 absent or unreadable',
    options: verifyFlags,
    examples: [
      'palisade verify palisade.tar.zst',
      'palisade verify palisade.tar.zst --json',
      'gpg --decrypt palisade.tar.zst.gpg | palisade verify -',
    ],
    run: async (words, io) => (await import('./run-verify.ts')).runVerify(words, io),
  },
];
