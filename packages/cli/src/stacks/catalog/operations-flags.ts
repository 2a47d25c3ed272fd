// SPDX-License-Identifier: Apache-2.0
/** Flags of up, preview, refresh, destroy, import. */
import {FLAGS, flags} from './pulumi-flags.ts';

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
  protect: {
    type: 'boolean',
    threeState: true,
    doc: 'protect imported resources; off with --protect=false (default true)',
  },
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
    doc: 'print program code; off with --generate-code=false (default true)',
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
