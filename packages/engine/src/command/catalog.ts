// SPDX-License-Identifier: Apache-2.0
/** The engine's commands: names, flags, help. */
import {configRemoveAll, configSetAll} from './config-all-commands.ts';
import {configGet, configList, configRemove, configSet} from './config-commands.ts';
import {configCopy, configRefresh} from './config-copy-commands.ts';
import {describeFlags, type FlagDocs, type FlagName, type OwnFlags} from './flags.ts';
import {stackHistory} from './history-command.ts';
import {importResources} from './import/import-command.ts';
import {EXIT} from './io.ts';
import {operateStack} from './operate.ts';
import {stackOutput, stackShow} from './show-commands.ts';
import {
  cancelStack,
  stackExport,
  stackImport,
  stackInit,
  stackList,
  stackRemove,
  stackRename,
  stackSelect,
  stackUnselect,
} from './stack-commands.ts';
import {stateDelete, stateProtect, stateRename, stateRepair, stateUnprotect} from './state-commands.ts';
import type {Workspace} from './workspace-context.ts';

export type EngineCommand = {
  /** `up`, `stack init`, … */
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** Names of the words after the command, for usage. */
  readonly words?: string;
  readonly wordsMax: number;
  readonly flags: readonly FlagName[];
  /** Where a flag means something of its own in this command. */
  readonly flagDocs?: FlagDocs;
  readonly ownFlags?: OwnFlags;
  readonly examples: readonly string[];
  readonly run: (workspace: Workspace, words: readonly string[]) => Promise<number>;
};

const PREVIEW_FLAGS: readonly FlagName[] = [
  'expect-no-changes', 'json', 'show-secrets', 'parallel', 'target', 'target-dependents', 'exclude', 'message',
  'config', 'config-path', 'config-file', 'diff', 'suppress-outputs', 'suppress-progress', 'suppress-permalink',
]; // biome-ignore format: a table
const UPDATE_FLAGS: readonly FlagName[] = [
  'exclude-dependents',
  'refresh',
  'replace',
  'target-replace',
  'skip-config-validation',
];
const OPERATION_FLAGS: readonly FlagName[] = ['yes', 'skip-preview', ...PREVIEW_FLAGS];

export const COMMANDS: readonly EngineCommand[] = [
  {
    name: 'up',
    aliases: ['update'],
    summary: 'create or update what the program in this folder declares',
    wordsMax: 0,
    flags: [...OPERATION_FLAGS, ...UPDATE_FLAGS, 'continue-on-error', 'secrets-provider'],
    examples: ['palisade up', 'palisade up --yes --skip-preview', 'palisade up --cwd examples/shop --stack dev --yes'],
    run: workspace => operateStack(workspace, 'update', {previewOnly: false}),
  },
  {
    name: 'preview',
    aliases: ['pre'],
    summary: 'show what up would do',
    wordsMax: 0,
    flags: [...PREVIEW_FLAGS, ...UPDATE_FLAGS],
    examples: ['palisade preview', 'palisade preview --json', 'palisade preview --expect-no-changes'],
    run: workspace => operateStack(workspace, 'update', {previewOnly: true}),
  },
  {
    name: 'refresh',
    summary: 'take what is really there into the state',
    wordsMax: 0,
    flags: [...OPERATION_FLAGS, 'exclude-dependents', 'clear-pending-creates', 'preview-only'],
    examples: ['palisade refresh --yes', 'palisade refresh --yes --skip-preview --expect-no-changes'],
    run: workspace => operateStack(workspace, 'refresh', {previewOnly: workspace.flags.on('preview-only')}),
  },
  {
    name: 'destroy',
    aliases: ['down', 'dn'],
    summary: 'delete everything that the stack declares',
    wordsMax: 0,
    flags: [...OPERATION_FLAGS, 'refresh', 'preview-only', 'continue-on-error', 'remove'],
    examples: ['palisade destroy', 'palisade destroy --yes --skip-preview'],
    run: workspace => operateStack(workspace, 'destroy', {previewOnly: workspace.flags.on('preview-only')}),
  },
  {
    name: 'import',
    summary: 'take objects that exist already into the state, and print code for the program',
    words: 'TYPE NAME ID',
    wordsMax: 3,
    flags: [
      'yes', 'skip-preview', 'preview-only', 'parent', 'provider', 'protect', 'file', 'out', 'generate-code', 'parallel', 'message',
      'json', 'diff', 'config-file', 'suppress-outputs', 'suppress-progress', 'suppress-permalink',
    ], // biome-ignore format: a table
    ownFlags: {
      file: {
        type: 'text',
        letter: 'f',
        value: 'FILE',
        doc: 'import what this JSON file lists ({"resources": [{"type", "name", "id"}]})',
      },
      'skip-preview': {type: 'switch', doc: 'do not show first what would be done'},
    },
    examples: [
      'palisade import platform:core/v1:Endpoints web default/web',
      'palisade import cloudnative:intrusion/v1:Endpoint guard projects/p/locations/us-central1-a/endpoints/guard --yes',
      'palisade import --file import.json --yes --protect=false --out imported.ts',
    ],
    run: importResources,
  },
  {
    name: 'cancel',
    summary: 'remove the lock that an ended operation left on a stack',
    words: '[STACK]',
    wordsMax: 1,
    flags: ['yes'],
    examples: ['palisade cancel --yes'],
    run: cancelStack,
  },
  {
    name: 'stack',
    summary: 'show the selected stack',
    wordsMax: 0,
    flags: ['show-name', 'show-urns', 'show-ids', 'show-secrets'],
    examples: ['palisade stack', 'palisade stack --show-name'],
    run: stackShow,
  },
  {
    name: 'stack init',
    aliases: ['stack new', 'stack create', 'stack setup'],
    summary: 'make an empty stack and select it',
    words: 'NAME',
    wordsMax: 1,
    flags: ['no-select', 'secrets-provider'],
    examples: ['palisade stack init dev'],
    run: stackInit,
  },
  {
    name: 'stack ls',
    aliases: ['stack list'],
    summary: 'list the stacks of this project',
    wordsMax: 0,
    flags: ['all', 'json'],
    examples: ['palisade stack ls', 'palisade stack ls --all --json'],
    run: stackList,
  },
  {
    name: 'stack select',
    summary: 'choose the stack that commands in this folder work on',
    words: 'NAME',
    wordsMax: 1,
    flags: ['create', 'secrets-provider'],
    examples: ['palisade stack select dev', 'palisade stack select dev --create'],
    run: stackSelect,
  },
  {
    name: 'stack unselect',
    summary: 'select no stack',
    wordsMax: 0,
    flags: [],
    examples: ['palisade stack unselect'],
    run: stackUnselect,
  },
  {
    name: 'stack output',
    summary: 'print the outputs of the stack, or one of them',
    words: '[NAME]',
    wordsMax: 1,
    flags: ['json', 'shell', 'show-secrets'],
    examples: [
      'palisade stack output',
      'palisade stack output endpointIp',
      'palisade stack output --json --show-secrets',
    ],
    run: stackOutput,
  },
  {
    name: 'stack export',
    summary: 'print the state (Pulumi deployment v3)',
    wordsMax: 0,
    flags: ['file', 'show-secrets'],
    flagDocs: {file: 'write to this file, in a folder that is there (default, and -: standard output)'},
    examples: ['palisade stack export', 'palisade stack export --file state.json'],
    run: stackExport,
  },
  {
    name: 'stack import',
    summary: 'replace the state by one that was exported, here or by the Pulumi CLI',
    wordsMax: 0,
    flags: ['file', 'force'],
    flagDocs: {
      file: 'read this file (default, and -: standard input)',
      force: 'import it although it does not fit together or is of another stack',
    },
    examples: ['palisade stack import --file state.json', 'pulumi stack export | palisade stack import'],
    run: stackImport,
  },
  {
    name: 'stack history',
    aliases: ['stack hist'],
    summary: 'list what was done to the stack, newest first',
    wordsMax: 0,
    flags: ['json', 'show-secrets', 'full-dates', 'page', 'page-size'],
    examples: ['palisade stack history', 'palisade stack history --json --page-size 1'],
    run: stackHistory,
  },
  {
    name: 'stack rename',
    summary: 'give the stack another name',
    words: 'NAME',
    wordsMax: 1,
    flags: [],
    examples: ['palisade stack rename production'],
    run: stackRename,
  },
  {
    name: 'stack rm',
    aliases: ['stack remove', 'stack delete'],
    summary: 'remove a stack and its configuration',
    words: '[NAME]',
    wordsMax: 1,
    flags: ['yes', 'force', 'preserve-config', 'remove-backups'],
    flagDocs: {force: 'remove it although resources are left; the objects themselves stay'},
    examples: ['palisade stack rm dev --yes'],
    run: stackRemove,
  },
  {
    name: 'state',
    summary: 'edit the state of the stack; the objects themselves stay as they are',
    words: 'SUB-COMMAND',
    wordsMax: 0,
    flags: [],
    examples: ['palisade state unprotect --all --yes', 'palisade state delete --help'],
    run: async workspace => {
      workspace.print(helpOf('state'));
      return EXIT.ok;
    },
  },
  {
    name: 'state delete',
    aliases: ['state remove', 'state rm'],
    summary: 'take resources out of the state',
    words: 'URN…',
    wordsMax: Number.POSITIVE_INFINITY,
    flags: ['all', 'force', 'target-dependents', 'yes'],
    flagDocs: {
      all: 'every resource of the stack',
      force: 'protected resources too',
      'target-dependents': 'also what depends on them',
    },
    examples: [
      "palisade state delete 'urn:pulumi:dev::shop::platform:core/v1:Endpoints::web' --yes",
      'palisade state delete --all --force --yes',
    ],
    run: stateDelete,
  },
  {
    name: 'state protect',
    summary: 'protect resources, until a program says otherwise',
    words: 'URN…',
    wordsMax: Number.POSITIVE_INFINITY,
    flags: ['all', 'yes'],
    flagDocs: {all: 'every resource of the stack'},
    examples: ["palisade state protect 'urn:pulumi:dev::shop::platform:core/v1:Endpoints::web' --yes"],
    run: stateProtect,
  },
  {
    name: 'state unprotect',
    summary: 'take the protection from resources, so that they can be deleted',
    words: 'URN…',
    wordsMax: Number.POSITIVE_INFINITY,
    flags: ['all', 'yes'],
    flagDocs: {all: 'every resource of the stack'},
    examples: [
      "palisade state unprotect 'urn:pulumi:dev::shop::platform:core/v1:Endpoints::web' --yes",
      'palisade state unprotect --all --yes',
    ],
    run: stateUnprotect,
  },
  {
    name: 'state repair',
    summary: 'mend a state that does not fit together',
    wordsMax: 0,
    flags: ['yes'],
    examples: ['palisade state repair --yes'],
    run: stateRepair,
  },
  {
    name: 'state rename',
    summary: 'give a resource the name that the program has for it now',
    words: 'URN NAME',
    wordsMax: 2,
    flags: ['yes'],
    examples: ["palisade state rename 'urn:pulumi:dev::shop::platform:core/v1:Endpoints::web' site --yes"],
    run: stateRename,
  },
  {
    name: 'config',
    aliases: ['config ls'],
    summary: 'list the configuration of the stack',
    wordsMax: 0,
    flags: ['json', 'show-secrets', 'config-file'],
    examples: ['palisade config', 'palisade config --json --show-secrets'],
    run: configList,
  },
  {
    name: 'config set',
    summary: 'set a configuration value (when none is given it is asked for, or read from standard input)',
    words: 'KEY [VALUE]',
    wordsMax: 2,
    flags: ['secret', 'plaintext', 'path', 'config-file'],
    examples: [
      'palisade config set region local',
      'palisade config set --secret token hunter2',
      'palisade config set --path limits.ports[0] 80',
    ],
    run: configSet,
  },
  {
    name: 'config get',
    summary: 'print one configuration value',
    words: 'KEY',
    wordsMax: 1,
    flags: ['json', 'path', 'config-file'],
    examples: ['palisade config get region'],
    run: configGet,
  },
  {
    name: 'config rm',
    aliases: ['config remove', 'config delete'],
    summary: 'remove a configuration value',
    words: 'KEY',
    wordsMax: 1,
    flags: ['path', 'config-file'],
    examples: ['palisade config rm region'],
    run: configRemove,
  },
  {
    name: 'config set-all',
    summary: 'set several configuration values',
    wordsMax: 0,
    flags: ['plaintext', 'secret', 'path', 'config-file'],
    ownFlags: {
      plaintext: {type: 'list', value: 'KEY=VALUE', doc: 'a value in the clear; may be repeated'},
      secret: {type: 'list', value: 'KEY=VALUE', doc: 'a value to be encrypted; may be repeated'},
    },
    examples: ['palisade config set-all --plaintext region=local --secret token=hunter2'],
    run: configSetAll,
  },
  {
    name: 'config remove-all',
    aliases: ['config rm-all'],
    summary: 'remove several configuration values',
    words: 'KEY…',
    wordsMax: Number.POSITIVE_INFINITY,
    flags: ['path', 'config-file'],
    examples: ['palisade config remove-all region token'],
    run: configRemoveAll,
  },
  {
    name: 'config cp',
    aliases: ['config copy'],
    summary: 'copy configuration values to another stack, all or one',
    words: '[KEY]',
    wordsMax: 1,
    flags: ['dest', 'path'],
    examples: ['palisade config cp --dest production', 'palisade config cp token --dest production'],
    run: configCopy,
  },
  {
    name: 'config refresh',
    summary: 'set the configuration back to that of the last deployment',
    wordsMax: 0,
    flags: ['force', 'config-file'],
    ownFlags: {force: {type: 'switch', letter: 'f', doc: 'keep no copy of the file as it was'}},
    examples: ['palisade config refresh', 'palisade config refresh --force'],
    run: configRefresh,
  },
];

const helpOf = (name: string): string =>
  COMMANDS.filter(command => command.name === name)
    .map(commandHelp)
    .join('');

export function commandHelp(command: EngineCommand): string {
  const below = COMMANDS.filter(other => other.name.startsWith(`${command.name} `));
  return [
    `palisade ${command.name}: ${command.summary}`,
    '',
    `usage: palisade ${command.name}${command.words === undefined ? '' : ` ${command.words}`} [flags]`,
    ...(below.length === 0
      ? []
      : ['', 'sub-commands:', ...below.map(sub => `  ${sub.name.padEnd(18)} ${sub.summary}`)]),
    '',
    'flags:',
    ...describeFlags(command.flags, command.flagDocs, command.ownFlags),
    '',
    'examples:',
    ...command.examples.map(example => `  ${example}`),
    '',
    'environment: PULUMI_BACKEND_URL (file://FOLDER), PULUMI_CONFIG_PASSPHRASE, PULUMI_CONFIG_PASSPHRASE_FILE, PULUMI_HOME, PULUMI_STACK',
    'exit codes: 0 done, 1 failed, 2 usage',
    '',
  ].join('\n');
}
