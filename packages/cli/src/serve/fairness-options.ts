// SPDX-License-Identifier: Apache-2.0
import type {OptionTable} from '../command-line/options.ts';

/** Flags of `palisade serve` about requests that run at the same time. */
export const fairnessOptions = {
  'max-requests-inflight': {
    type: 'string',
    value: 'N',
    inFile: 'number',
    doc: 'seats for requests: this plus the next value (default 400)',
  },
  'max-mutating-requests-inflight': {
    type: 'string',
    value: 'N',
    inFile: 'number',
    doc: 'seats that are added to --max-requests-inflight (default 200)',
  },
} as const satisfies OptionTable;
