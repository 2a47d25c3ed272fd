// SPDX-License-Identifier: Apache-2.0
import type {OptionTable} from '../command-line/options.ts';
import {idsConnectionOptions} from '../connection/connection.ts';
import {ofEndpoint} from './threat-flags.ts';

export const decisionFlags = {
  filter: {type: 'string', value: 'F', doc: 'decide about all that match an AIP-160 filter ("*": all)'},
  since: {type: 'string', value: 'T', doc: 'with --filter: since an RFC 3339 time, or an age such as 2h, 7d'},
  until: {type: 'string', value: 'T', doc: 'with --filter: before a time, in the same forms'},
  'dry-run': {type: 'boolean', doc: 'with --filter: print how many match, change nothing'},
  yes: {type: 'boolean', short: 'y', doc: 'with --filter: skip confirmation'},
  comment: {type: 'string', value: 'TEXT', doc: 'add this comment'},
  ...ofEndpoint,
  ...idsConnectionOptions,
} as const satisfies OptionTable;
