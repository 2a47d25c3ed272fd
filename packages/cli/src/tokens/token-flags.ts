// SPDX-License-Identifier: Apache-2.0
/** Flags of `palisade token`. */
import type {OptionTable} from '../command-line/options.ts';
import {connectionOptions} from '../connection/connection.ts';

export const createFlags = {
  for: {type: 'string', value: 'USER', doc: 'name of the user of the token; required'},
  group: {type: 'list', value: 'GROUP', doc: 'add the user to this group'},
  uid: {type: 'string', value: 'UID', doc: 'set the UID of the user'},
  ttl: {type: 'string', value: 'DURATION', default: '8h', doc: 'expire after this time, such as 30m or 90d, or never'},
  description: {type: 'string', value: 'TEXT', doc: 'what the token is for'},
  name: {type: 'string', value: 'NAME', doc: 'name of the token (default: USER-RANDOM)'},
  ...connectionOptions,
} as const satisfies OptionTable;

export const listFlags = {
  user: {type: 'string', value: 'USER', doc: 'only tokens of this user'},
  ...connectionOptions,
} as const satisfies OptionTable;

export const revokeFlags = {
  user: {type: 'string', value: 'USER', doc: 'revoke all tokens of this user'},
  ...connectionOptions,
} as const satisfies OptionTable;
