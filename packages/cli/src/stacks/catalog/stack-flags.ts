// SPDX-License-Identifier: Apache-2.0
/** Flags of `palisade stack …`. */
import {flags} from './pulumi-flags.ts';

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
