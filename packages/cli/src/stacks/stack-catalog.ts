// SPDX-License-Identifier: Apache-2.0
/** `palisade stack …`: names, flags, help. */
import type {Command} from '../command-line/command.ts';
import {flags} from './pulumi-flags.ts';
import {stackCommand} from './stack-command.ts';

export const showFlags = {
  'show-name': {type: 'boolean', doc: 'print only the name of the selected stack'},
  'show-urns': {type: 'boolean', short: 'u', doc: 'print the URN of each resource'},
  'show-ids': {type: 'boolean', short: 'i', doc: 'print the ID of each resource'},
  ...flags('show-secrets', 'json'),
} as const;
export const initFlags = {
  'no-select': {type: 'boolean', doc: 'leave the selected stack as it is'},
  ...flags('secrets-provider'),
} as const;
export const listFlags = {
  all: {type: 'boolean', short: 'a', doc: 'list the stacks of all projects'},
  ...flags('json'),
} as const;
export const selectFlags = {
  create: {type: 'boolean', short: 'c', doc: 'create the stack if it does not exist'},
  ...flags('secrets-provider'),
} as const;
export const outputFlags = {
  ...flags('json'),
  shell: {type: 'boolean', doc: 'print NAME=VALUE lines for a shell'},
  ...flags('show-secrets'),
} as const;
export const exportFlags = {
  file: {
    type: 'string',
    value: 'FILE',
    completes: 'file',
    doc: 'write to this file; its folder must exist (default -: stdout)',
  },
  ...flags('show-secrets'),
} as const;
export const importStateFlags = {
  file: {type: 'string', value: 'FILE', completes: 'file', doc: 'read this file (default -: stdin)'},
  force: {type: 'boolean', doc: 'skip the safety check of consistency and origin'},
} as const;
export const historyFlags = {
  ...flags('json', 'show-secrets'),
  'full-dates': {type: 'boolean', doc: 'accepted for compatibility; times are always in full'},
  page: {type: 'string', value: 'N', default: '1', doc: 'print page N, from the newest'},
  'page-size': {type: 'string', value: 'N', default: '10', doc: 'print at most N operations'},
} as const;
export const removeFlags = {
  ...flags('yes'),
  force: {type: 'boolean', doc: 'remove a stack that still has resources; the objects stay'},
  'preserve-config': {type: 'boolean', doc: 'keep Pulumi.<stack>.yaml'},
  'remove-backups': {type: 'boolean', doc: 'remove the backups too'},
} as const;

export const stackCommands: readonly Command[] = [
  stackCommand({
    name: 'stack',
    summary: 'manage stacks; alone: show the selected stack',
    options: showFlags,
    examples: ['palisade stack', 'palisade stack --show-name', 'palisade stack --show-urns'],
    run: async input => (await import('./show.ts')).showStack(input),
  }),
  stackCommand({
    name: 'stack init',
    aliases: ['stack new', 'stack create', 'stack setup'],
    summary: 'create an empty stack and select it',
    usage: 'NAME',
    wordsMax: 1,
    namesStack: true,
    options: initFlags,
    examples: ['palisade stack init dev'],
    run: async input => (await import('./stack-commands.ts')).init(input),
  }),
  stackCommand({
    name: 'stack ls',
    aliases: ['stack list'],
    summary: 'list the stacks of this project',
    options: listFlags,
    examples: ['palisade stack ls', 'palisade stack ls --all --json'],
    run: async input => (await import('./stack-commands.ts')).list(input),
  }),
  stackCommand({
    name: 'stack select',
    summary: 'select the stack that commands in this folder use',
    usage: 'NAME',
    wordsMax: 1,
    namesStack: true,
    words: ['stack'],
    options: selectFlags,
    examples: ['palisade stack select dev', 'palisade stack select dev --create'],
    run: async input => (await import('./stack-commands.ts')).select(input),
  }),
  stackCommand({
    name: 'stack unselect',
    summary: 'clear the selection',
    options: {},
    examples: ['palisade stack unselect'],
    run: async input => (await import('./stack-commands.ts')).unselect(input),
  }),
  stackCommand({
    name: 'stack output',
    summary: 'print the outputs of the stack, or one of them',
    usage: '[NAME]',
    wordsMax: 1,
    options: outputFlags,
    examples: [
      'palisade stack output',
      'palisade stack output endpointIp',
      'palisade stack output --json --show-secrets',
    ],
    run: async input => (await import('./show.ts')).showOutputs(input),
  }),
  stackCommand({
    name: 'stack export',
    summary: 'print the state (Pulumi deployment v3)',
    options: exportFlags,
    examples: ['palisade stack export', 'palisade stack export --file state.json'],
    run: async input => (await import('./stack-commands.ts')).exportStack(input),
  }),
  stackCommand({
    name: 'stack import',
    summary: 'replace the state with one exported here or by the Pulumi CLI',
    options: importStateFlags,
    examples: ['palisade stack import --file state.json', 'pulumi stack export | palisade stack import'],
    run: async input => (await import('./stack-commands.ts')).importStack(input),
  }),
  stackCommand({
    name: 'stack history',
    aliases: ['stack hist'],
    summary: 'list the operations on the stack, newest first',
    options: historyFlags,
    examples: ['palisade stack history', 'palisade stack history --json --page-size 1'],
    run: async input => (await import('./history.ts')).stackHistory(input),
  }),
  stackCommand({
    name: 'stack rename',
    summary: 'rename the stack',
    usage: 'NAME',
    wordsMax: 1,
    options: {},
    examples: ['palisade stack rename production'],
    run: async input => (await import('./stack-commands.ts')).rename(input),
  }),
  stackCommand({
    name: 'stack rm',
    aliases: ['stack remove', 'stack delete'],
    summary: 'remove a stack and its configuration',
    usage: '[NAME]',
    wordsMax: 1,
    namesStack: true,
    words: ['stack'],
    options: removeFlags,
    examples: ['palisade stack rm dev --yes'],
    run: async input => (await import('./stack-commands.ts')).remove(input),
  }),
];
