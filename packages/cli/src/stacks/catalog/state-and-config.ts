// SPDX-License-Identifier: Apache-2.0
/** `palisade state …` and `palisade config …`: names, flags, help. */
import type {Command} from '../../command-line/command.ts';
import {stackCommand, stackFolder} from './stack-command.ts';
import {
  configCopyFlags,
  configGetFlags,
  configListFlags,
  configRefreshFlags,
  configRemoveFlags,
  configSetAllFlags,
  configSetFlags,
  deleteFlags,
  protectFlags,
  yesFlags,
} from './state-and-config-flags.ts';

const ANY = Number.POSITIVE_INFINITY;

const stateCommands: readonly Command[] = [
  stackFolder({
    name: 'state',
    summary: 'edit the state of the stack; the objects stay as they are',
    examples: ['palisade state unprotect --all --yes', 'palisade state delete --help'],
  }),
  stackCommand({
    name: 'state delete',
    aliases: ['state remove', 'state rm'],
    summary: 'delete resources from the state',
    usage: '(URN… | --all)',
    wordsMax: ANY,
    options: deleteFlags,
    examples: [
      "palisade state delete 'urn:pulumi:dev::shop::platform:core/v1:Endpoints::web' --yes",
      'palisade state delete --all --force --yes',
    ],
    run: async input => (await import('../state-commands.ts')).deleteResources(input),
  }),
  stackCommand({
    name: 'state protect',
    summary: 'protect resources from deletion until the next up',
    usage: '(URN… | --all)',
    wordsMax: ANY,
    options: protectFlags,
    examples: ["palisade state protect 'urn:pulumi:dev::shop::platform:core/v1:Endpoints::web' --yes"],
    run: async input => (await import('../state-commands.ts')).protect(input),
  }),
  stackCommand({
    name: 'state unprotect',
    summary: 'remove the protection from resources',
    usage: '(URN… | --all)',
    wordsMax: ANY,
    options: protectFlags,
    examples: [
      "palisade state unprotect 'urn:pulumi:dev::shop::platform:core/v1:Endpoints::web' --yes",
      'palisade state unprotect --all --yes',
    ],
    run: async input => (await import('../state-commands.ts')).unprotect(input),
  }),
  stackCommand({
    name: 'state repair',
    summary: 'repair an inconsistent state',
    options: yesFlags,
    examples: ['palisade state repair --yes'],
    run: async input => (await import('../state-commands.ts')).repair(input),
  }),
  stackCommand({
    name: 'state rename',
    summary: 'rename a resource in the state',
    usage: 'URN NAME',
    wordsMax: 2,
    options: yesFlags,
    examples: ["palisade state rename 'urn:pulumi:dev::shop::platform:core/v1:Endpoints::web' site --yes"],
    run: async input => (await import('../state-commands.ts')).rename(input),
  }),
];

const configCommands: readonly Command[] = [
  stackCommand({
    name: 'config',
    aliases: ['config ls'],
    summary: 'manage configuration; alone: list the values of the stack',
    options: configListFlags,
    examples: ['palisade config', 'palisade config --json --show-secrets'],
    run: async input => (await import('../config-commands.ts')).list(input),
  }),
  stackCommand({
    name: 'config set',
    summary: 'set a configuration value',
    usage: 'KEY [VALUE]',
    notes: ['Without VALUE the command asks for it, or reads it from standard input.'],
    wordsMax: 2,
    options: configSetFlags,
    examples: [
      'palisade config set region local',
      'palisade config set --secret token hunter2',
      "palisade config set --path 'limits.ports[0]' 80",
    ],
    run: async input => (await import('../config-commands.ts')).set(input),
  }),
  stackCommand({
    name: 'config get',
    summary: 'print a configuration value',
    usage: 'KEY',
    wordsMax: 1,
    options: configGetFlags,
    examples: ['palisade config get region'],
    run: async input => (await import('../config-commands.ts')).get(input),
  }),
  stackCommand({
    name: 'config rm',
    aliases: ['config remove', 'config delete'],
    summary: 'remove a configuration value',
    usage: 'KEY',
    wordsMax: 1,
    options: configRemoveFlags,
    examples: ['palisade config rm region'],
    run: async input => (await import('../config-commands.ts')).remove(input),
  }),
  stackCommand({
    name: 'config set-all',
    summary: 'set several configuration values',
    options: configSetAllFlags,
    examples: ['palisade config set-all --plaintext region=local --secret token=hunter2'],
    run: async input => (await import('../config-commands.ts')).setAll(input),
  }),
  stackCommand({
    name: 'config remove-all',
    aliases: ['config rm-all'],
    summary: 'remove several configuration values',
    usage: 'KEY…',
    wordsMax: ANY,
    options: configRemoveFlags,
    examples: ['palisade config remove-all region token'],
    run: async input => (await import('../config-commands.ts')).removeAll(input),
  }),
  stackCommand({
    name: 'config cp',
    aliases: ['config copy'],
    summary: 'copy configuration values to another stack',
    usage: '[KEY] --dest STACK',
    wordsMax: 1,
    options: configCopyFlags,
    examples: ['palisade config cp --dest production', 'palisade config cp token --dest production'],
    run: async input => (await import('../config-commands.ts')).copy(input),
  }),
  stackCommand({
    name: 'config refresh',
    summary: 'restore the configuration of the last deployment',
    options: configRefreshFlags,
    examples: ['palisade config refresh', 'palisade config refresh --force'],
    run: async input => (await import('../config-commands.ts')).refresh(input),
  }),
];

export const stateAndConfigCommands: readonly Command[] = [...stateCommands, ...configCommands];
