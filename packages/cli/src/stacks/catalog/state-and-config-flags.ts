// SPDX-License-Identifier: Apache-2.0
/** Flags of `palisade state …` and `palisade config …`. */
import {flags} from './pulumi-flags.ts';

export const deleteFlags = {
  ...flags('all'),
  force: {type: 'boolean', doc: 'delete protected resources too'},
  'target-dependents': {type: 'boolean', doc: 'delete resources that depend on them too'},
  ...flags('yes'),
} as const;
export const protectFlags = flags('all', 'yes');
export const yesFlags = flags('yes');
export const configListFlags = flags('json', 'show-secrets', 'config-file');
export const configSetFlags = {
  secret: {type: 'boolean', doc: 'encrypt the value'},
  plaintext: {type: 'boolean', doc: 'store the value in plain text'},
  ...flags('path', 'config-file'),
} as const;
export const configSetAllFlags = {
  plaintext: {type: 'list', value: 'KEY=VALUE', doc: 'set a value in plain text; repeatable'},
  secret: {type: 'list', value: 'KEY=VALUE', doc: 'set an encrypted value; repeatable'},
  ...flags('path', 'config-file'),
} as const;
export const configGetFlags = flags('json', 'path', 'config-file');
export const configRemoveFlags = flags('path', 'config-file');
export const configCopyFlags = {
  dest: {type: 'string', short: 'd', value: 'STACK', completes: 'stack', doc: 'copy to this stack; required'},
  ...flags('path'),
} as const;
export const configRefreshFlags = {
  force: {type: 'boolean', short: 'f', doc: 'skip the backup of the configuration file'},
  ...flags('config-file'),
} as const;
