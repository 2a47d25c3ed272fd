// SPDX-License-Identifier: Apache-2.0
/** Flags of `palisade threats …`. */
import type {OptionTable} from '../command-line/options.ts';
import {idsConnectionOptions} from '../connection/connection.ts';

export const ofEndpoint = {
  endpoint: {
    type: 'string',
    value: 'NAME',
    completes: 'endpoint',
    doc: 'look in the records of this endpoint, ID or full name (default: all)',
  },
} as const satisfies OptionTable;

export const showFlags = {
  pcap: {
    type: 'string',
    value: 'FILE',
    completes: 'file',
    doc: 'write its packets into FILE, a capture file (-: stdout)',
  },
  ...ofEndpoint,
  ...idsConnectionOptions,
} as const satisfies OptionTable;
