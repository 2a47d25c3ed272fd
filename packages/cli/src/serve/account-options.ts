// SPDX-License-Identifier: Apache-2.0
import type {OptionTable} from '../command-line/options.ts';

/** Flags of `palisade serve` about tokens of service accounts. */
export const accountOptions = {
  'service-account-issuer': {
    type: 'string',
    value: 'URL',
    default: 'https://kubernetes.default.svc',
    doc: 'sign service account tokens as this issuer, also their audience',
  },
} as const satisfies OptionTable;
