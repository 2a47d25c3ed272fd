// SPDX-License-Identifier: Apache-2.0
/** `palisade token COMMAND`: names, flags, help. What runs them is loaded when it is asked for. */
import {type Command, folderCommand} from '../command-line/command.ts';
import {createFlags, listFlags, revokeFlags} from './token-flags.ts';

export const tokenCommands: readonly Command[] = [
  folderCommand({
    name: 'token',
    group: 'server',
    summary: 'create, list and revoke bearer tokens of users',
    examples: ['palisade token create --for anna --group dev'],
  }),
  {
    name: 'token create',
    group: 'server',
    summary: 'create a bearer token for a user and print it once',
    usage: '--for USER [--group GROUP]… [--ttl DURATION] [--name NAME] [--json]',
    notes: [
      'stdout has the token alone. The server stores its SHA-256 digest only: a lost token cannot be shown again.',
      'Needs the verb create on accesstokens.platform.io, and impersonate on the user and each group. Tokens remain valid when their',
      'creator loses these rights, until they expire or are revoked.',
    ],
    options: createFlags,
    examples: [
      'palisade token create --for anna --group dev',
      'palisade token create --for ci --group deployers --ttl 90d --description "build server" > ci.token',
      'palisade token create --for anna --ttl never --name anna-laptop --json',
    ],
    run: async (words, io) => (await import('./create.ts')).runCreate(words, io),
  },
  {
    name: 'token list',
    group: 'server',
    summary: 'list access tokens, without the tokens themselves',
    usage: '[--user USER] [--json]',
    options: listFlags,
    examples: ['palisade token list', 'palisade token list --user anna --json'],
    run: async (words, io) => (await import('./list.ts')).runList(words, io),
  },
  {
    name: 'token revoke',
    group: 'server',
    words: ['accessToken'],
    summary: 'revoke access tokens at once',
    usage: 'NAME… | - | --user USER [--json]',
    notes: [
      'With - as the NAME the token itself is read from stdin. Needs the verbs get, list and delete on accesstokens.platform.io.',
    ],
    options: revokeFlags,
    examples: [
      'palisade token revoke anna-laptop',
      'palisade token revoke - < leaked.token',
      'palisade token revoke --user anna --json',
    ],
    run: async (words, io) => (await import('./revoke.ts')).runRevoke(words, io),
  },
];
