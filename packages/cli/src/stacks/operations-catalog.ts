// SPDX-License-Identifier: Apache-2.0
/** up, preview, refresh, destroy, import, cancel: names, flags, help. */
import type {Command} from '../command-line/command.ts';
import {FLAGS, flags} from './pulumi-flags.ts';
import {stackCommand} from './stack-command.ts';

const previewFlags = flags(
  'expect-no-changes', 'json', 'show-secrets', 'parallel', 'target', 'target-dependents', 'exclude', 'message', 'config',
  'config-path', 'config-file', 'diff', 'suppress-outputs', 'suppress-progress', 'suppress-permalink',
); // biome-ignore format: a table
const updateFlags = flags('exclude-dependents', 'refresh', 'replace', 'target-replace', 'skip-config-validation');
const operationFlags = {...flags('yes', 'skip-preview'), ...previewFlags};

export const upFlags = {...operationFlags, ...updateFlags, ...flags('continue-on-error', 'secrets-provider')} as const;
export const previewOnlyFlags = {...previewFlags, ...updateFlags} as const;
export const refreshFlags = {
  ...operationFlags,
  ...flags('exclude-dependents', 'clear-pending-creates', 'preview-only'),
} as const;
export const destroyFlags = {
  ...operationFlags,
  ...flags('refresh', 'preview-only', 'continue-on-error'),
  remove: {type: 'boolean', doc: 'remove the stack and its configuration once it is empty'},
} as const;
export const importFlags = {
  ...flags('yes', 'preview-only'),
  'skip-preview': {type: 'boolean', doc: FLAGS['skip-preview'].doc},
  parent: {type: 'string', value: 'NAME=URN', doc: 'set the parent, and its variable name in the program'},
  provider: {type: 'string', value: 'NAME=URN', doc: 'set the provider, and its variable name in the program'},
  protect: {type: 'boolean', threeState: true, doc: 'protect imported resources (default true; --protect=false)'},
  file: {
    type: 'string',
    short: 'f',
    value: 'FILE',
    completes: 'file',
    doc: 'import the resources that this JSON file lists',
  },
  out: {type: 'string', short: 'o', value: 'FILE', completes: 'file', doc: 'write the code to this file'},
  'generate-code': {
    type: 'boolean',
    threeState: true,
    doc: 'print code for the program (default true; --generate-code=false)',
  },
  ...flags(
    'parallel',
    'message',
    'json',
    'diff',
    'config-file',
    'suppress-outputs',
    'suppress-progress',
    'suppress-permalink',
  ),
} as const;

export const operationCommands: readonly Command[] = [
  stackCommand({
    name: 'up',
    aliases: ['update'],
    summary: 'create or update the resources that the program declares',
    options: upFlags,
    examples: ['palisade up', 'palisade up --yes --skip-preview', 'palisade up --cwd examples/shop --stack dev --yes'],
    run: async input => (await import('./operate.ts')).up(input),
  }),
  stackCommand({
    name: 'preview',
    aliases: ['pre'],
    summary: 'show what up would change',
    options: previewOnlyFlags,
    examples: ['palisade preview', 'palisade preview --json', 'palisade preview --expect-no-changes'],
    run: async input => (await import('./operate.ts')).preview(input),
  }),
  stackCommand({
    name: 'refresh',
    summary: 'update the state from the real objects',
    options: refreshFlags,
    examples: ['palisade refresh --yes', 'palisade refresh --yes --skip-preview --expect-no-changes'],
    run: async input => (await import('./operate.ts')).refresh(input),
  }),
  stackCommand({
    name: 'destroy',
    aliases: ['down', 'dn'],
    summary: 'delete every resource of the stack',
    options: destroyFlags,
    examples: ['palisade destroy', 'palisade destroy --yes --skip-preview'],
    run: async input => (await import('./operate.ts')).destroy(input),
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
    run: async input => (await import('./import.ts')).importResources(input),
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
    run: async input => (await import('./stack-commands.ts')).cancel(input),
  }),
];
