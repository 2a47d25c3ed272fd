// SPDX-License-Identifier: Apache-2.0
/** `palisade key …`: names, flags, help. What runs them is loaded when it is asked for. */
import {type Command, folderCommand} from '../command-line/command.ts';
import {createFlags, listFlags, revokeFlags} from './key-flags.ts';

export const keyCommands: readonly Command[] = [
  folderCommand({
    name: 'key',
    group: 'server',
    summary: 'create, list and revoke key files of service accounts',
    examples: ['palisade key create shop/deployer --out key.json', 'palisade key list'],
  }),
  {
    name: 'key create',
    group: 'server',
    summary: 'create a key file of a service account, for gcloud and libraries',
    usage: 'NAMESPACE/NAME [--ttl DURATION] [--out FILE] [--json]',
    notes: [
      'The service account must exist. The file holds the private key: the server does not keep it and shows it only now.',
      'Needs the verb create on serviceaccountkeys and on serviceaccounts/token of the account.',
    ],
    options: createFlags,
    examples: [
      'palisade key create shop/deployer --out key.json',
      'palisade key create --service-account shop/deployer --ttl 90d > key.json',
      'palisade key create shop/deployer --json',
    ],
    run: async (words, io) => (await import('./create-key.ts')).runCreate(words, io),
  },
  {
    name: 'key list',
    group: 'server',
    summary: 'list the keys of service accounts',
    usage: '[--namespace NS] [--json]',
    options: listFlags,
    examples: ['palisade key list', 'palisade key list --namespace shop --json'],
    run: async (words, io) => (await import('./list-keys.ts')).runList(words, io),
  },
  {
    name: 'key revoke',
    group: 'server',
    summary: 'delete a key and end the tokens that were got with it',
    usage: 'NAMESPACE/KEY [--json]',
    options: revokeFlags,
    examples: ['palisade key revoke shop/deployer-x7k2p', 'palisade key revoke shop/deployer-x7k2p --json'],
    run: async (words, io) => (await import('./revoke-key.ts')).runRevoke(words, io),
  },
];
