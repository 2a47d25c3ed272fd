// SPDX-License-Identifier: Apache-2.0
/** Flags of `palisade key …`. */
import type {OptionTable} from '../command-line/options.ts';
import {connectionOptions} from '../connection/connection.ts';

export const createFlags = {
  'service-account': {type: 'string', value: 'NS/NAME', doc: 'create the key for this service account'},
  ttl: {type: 'string', value: 'DURATION', doc: 'end the key after DURATION, such as 90d (default: never)'},
  out: {
    type: 'string',
    value: 'FILE',
    completes: 'file',
    doc: 'write the key file here, mode 0600 (default: stdout)',
  },
  ...connectionOptions,
} as const satisfies OptionTable;

export const listFlags = {
  namespace: {
    type: 'string',
    short: 'n',
    value: 'NS',
    completes: 'namespace',
    doc: 'list the keys of this namespace (default: all namespaces)',
  },
  ...connectionOptions,
} as const satisfies OptionTable;

export const revokeFlags = {...connectionOptions} as const satisfies OptionTable;
