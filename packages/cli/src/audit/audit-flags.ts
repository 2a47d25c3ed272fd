// SPDX-License-Identifier: Apache-2.0
import type {OptionTable} from '../command-line/options.ts';
import {connectionOptions} from '../connection/connection.ts';

/** Flags of `palisade audit`. */
export const auditFlags = {
  user: {type: 'string', value: 'USER', doc: 'print requests of this user, also impersonated'},
  since: {type: 'string', value: 'T', doc: 'print requests since an RFC 3339 time, or an age such as 30s, 2h, 7d'},
  until: {type: 'string', value: 'T', doc: 'print requests before a time, in the same forms'},
  verb: {type: 'string', value: 'VERB', doc: 'print requests with this verb, such as create or get'},
  resource: {type: 'string', value: 'RESOURCE', doc: 'print requests for a resource, subresource or path'},
  namespace: {type: 'string', value: 'NS', short: 'n', doc: 'print requests in this namespace or IDS project'},
  name: {type: 'string', value: 'NAME', doc: 'print requests for the object of this name'},
  decision: {type: 'string', value: 'DECISION', oneOf: ['allow', 'forbid'], doc: 'print allowed or refused requests'},
  code: {type: 'string', value: 'CODE', doc: 'print requests with this HTTP status code'},
  limit: {type: 'string', value: 'N', doc: 'print the N newest requests'},
  follow: {type: 'boolean', short: 'f', doc: 'keep running and print requests from now, or --since, on'},
  'all-stages': {type: 'boolean', doc: 'print also the event of a request that was received'},
  file: {type: 'string', value: 'FILE', completes: 'file', doc: 'read this audit log and its rotated files'},
  data: {
    type: 'string',
    value: 'DIR',
    completes: 'folder',
    doc: 'read the audit log in this data folder (default ~/.local/state/palisade)',
  },
  ...connectionOptions,
} as const satisfies OptionTable;
