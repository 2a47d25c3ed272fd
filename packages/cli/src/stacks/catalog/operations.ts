// SPDX-License-Identifier: Apache-2.0
/** up, preview, refresh, destroy, import, cancel: names, flags, help. */
import type {Command} from '../../command-line/command.ts';
import {destroyFlags, importFlags, previewOnlyFlags, refreshFlags, upFlags} from './operations-flags.ts';
import {flags} from './pulumi-flags.ts';
import {stackCommand} from './stack-command.ts';

export const operationCommands: readonly Command[] = [
  stackCommand({
    name: 'up',
    aliases: ['update'],
    summary: 'create or update the resources that the program declares',
    options: upFlags,
    examples: ['palisade up', 'palisade up --yes --skip-preview', 'palisade up --cwd examples/shop --stack dev --yes'],
    run: async input => (await import('../operate.ts')).up(input),
  }),
  stackCommand({
    name: 'preview',
    aliases: ['pre'],
    summary: 'show what up would change',
    options: previewOnlyFlags,
    examples: ['palisade preview', 'palisade preview --json', 'palisade preview --expect-no-changes'],
    run: async input => (await import('../operate.ts')).preview(input),
  }),
  stackCommand({
    name: 'refresh',
    summary: 'update the state from the real objects',
    options: refreshFlags,
    examples: ['palisade refresh --yes', 'palisade refresh --yes --skip-preview --expect-no-changes'],
    run: async input => (await import('../operate.ts')).refresh(input),
  }),
  stackCommand({
    name: 'destroy',
    aliases: ['down', 'dn'],
    summary: 'delete every resource of the stack',
    options: destroyFlags,
    examples: ['palisade destroy', 'palisade destroy --yes --skip-preview'],
    run: async input => (await import('../operate.ts')).destroy(input),
  }),
  stackCommand({
    name: 'import',
    summary: 'add existing objects to the state, and print code for the program',
    usage: '(TYPE NAME ID | --file FILE)',
    notes: [
      'FILE has the form of the Pulumi CLI: {"resources": [{"type": …, "name": …, "id": …}], "nameTable": {NAME: URN}}.',
    ],
    wordsMax: 3,
    options: importFlags,
    examples: [
      'palisade import platform:core/v1:Endpoints web default/web',
      'palisade import cloudnative:intrusion/v1:Endpoint guard projects/p/locations/us-central1-a/endpoints/guard --yes',
      'palisade import --file import.json --yes --protect=false --out imported.ts',
    ],
    run: async input => (await import('../import.ts')).importResources(input),
  }),
  stackCommand({
    name: 'cancel',
    summary: 'remove the lock that an interrupted operation left on a stack',
    usage: '[STACK]',
    wordsMax: 1,
    namesStack: true,
    words: ['stack'],
    options: flags('yes'),
    examples: ['palisade cancel --yes'],
    run: async input => (await import('../stack-commands.ts')).cancel(input),
  }),
];
