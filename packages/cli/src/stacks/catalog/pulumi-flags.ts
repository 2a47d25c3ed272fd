// SPDX-License-Identifier: Apache-2.0
/** The flags of the stack commands: those of the Pulumi CLI, under the same names and letters. */
import type {Option} from '../../command-line/options.ts';

/** Flags that every stack command takes. */
export const GLOBAL_FLAGS = {
  cwd: {type: 'string', short: 'C', value: 'DIR', completes: 'folder', doc: 'run as if started in this folder'},
  stack: {
    type: 'string',
    short: 's',
    value: 'NAME',
    completes: 'stack',
    doc: 'work on this stack (default: the selected one)',
  },
  'non-interactive': {type: 'boolean', doc: 'never ask'},
  color: {
    type: 'string',
    value: 'WHEN',
    oneOf: ['always', 'never', 'raw', 'auto'],
    doc: 'accepted for compatibility; output is never coloured',
  },
} as const satisfies Readonly<Record<string, Option>>;

export const FLAGS = {
  yes: {
    type: 'boolean',
    short: 'y',
    env: 'PULUMI_SKIP_CONFIRMATIONS',
    doc: 'skip confirmation',
  },
  'skip-preview': {type: 'boolean', short: 'f', doc: 'skip the preview'},
  'expect-no-changes': {type: 'boolean', doc: 'fail if anything changed, or would change'},
  json: {type: 'boolean', short: 'j', doc: 'print JSON'},
  'show-secrets': {type: 'boolean', doc: 'show secrets in plain text'},
  refresh: {
    type: 'boolean',
    short: 'r',
    threeState: true,
    doc: 'refresh the state first (default: as Pulumi.yaml says)',
  },
  parallel: {
    type: 'string',
    short: 'p',
    value: 'N',
    env: 'PULUMI_PARALLEL',
    default: '16',
    doc: 'run at most N steps at a time',
  },
  target: {
    type: 'list',
    short: 't',
    value: 'URN',
    doc: 'work only on this resource; repeatable; * and ** are wildcards',
  },
  'target-dependents': {type: 'boolean', doc: 'include resources that depend on --target'},
  exclude: {type: 'list', short: 'x', value: 'URN', doc: 'skip this resource; repeatable; * and ** are wildcards'},
  'exclude-dependents': {type: 'boolean', doc: 'skip resources that depend on --exclude, too'},
  'continue-on-error': {
    type: 'boolean',
    env: 'PULUMI_CONTINUE_ON_ERROR',
    doc: 'continue after a failed resource',
  },
  replace: {type: 'list', value: 'URN', doc: 'replace this resource; repeatable'},
  'target-replace': {type: 'list', value: 'URN', doc: 'same as --target and --replace; repeatable'},
  message: {type: 'string', short: 'm', value: 'TEXT', doc: 'add a note to the history'},
  config: {
    type: 'list',
    short: 'c',
    value: 'KEY=VALUE',
    doc: 'set and save a configuration value; repeatable',
  },
  'config-path': {type: 'boolean', doc: 'read keys of --config as paths into structured values'},
  'skip-config-validation': {type: 'boolean', doc: 'skip the check of configuration types in Pulumi.yaml'},
  'config-file': {
    type: 'string',
    value: 'FILE',
    completes: 'file',
    doc: 'use this file instead of Pulumi.<stack>.yaml',
  },
  'suppress-outputs': {type: 'boolean', doc: 'hide the stack outputs'},
  'clear-pending-creates': {type: 'boolean', doc: 'forget creations that an earlier run left unfinished'},
  'preview-only': {type: 'boolean', doc: 'show what would change, then stop'},
  'secrets-provider': {
    type: 'string',
    value: 'NAME',
    oneOf: ['default', 'passphrase'],
    doc: 'encrypt secrets with this provider; both are the passphrase',
  },
  path: {type: 'boolean', doc: 'read the key as a path into a value: outer.list[0].name'},
  all: {type: 'boolean', short: 'a', doc: 'apply to every resource of the stack'},
  diff: {type: 'boolean', doc: 'show old and new value of each changed property'},
  'suppress-progress': {type: 'boolean', doc: 'accepted for compatibility; there are no progress dots'},
  'suppress-permalink': {type: 'boolean', doc: 'accepted for compatibility; there are no links'},
} as const satisfies Readonly<Record<string, Option>>;

export type FlagName = keyof typeof FLAGS;

/** Some of them, as the table of a command. */
export const flags = <K extends FlagName>(...names: readonly K[]): Pick<typeof FLAGS, K> =>
  Object.fromEntries(names.map(name => [name, FLAGS[name]])) as Pick<typeof FLAGS, K>;
